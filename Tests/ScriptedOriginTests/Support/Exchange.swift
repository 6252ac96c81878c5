import ScriptedOrigin

/// One request on a new connection, and the complete response.
struct Exchange {
  let status: Int
  let headers: [String: String]
  let body: [UInt8]
  let ending: RawClient.Ending?

  init(_ origin: ScriptedOrigin, _ path: String, method: String = "GET", headers: [String: String] = [:]) throws {
    let client = try RawClient(port: origin.port)
    client.sendRequest(path, method: method, headers: headers.merging(["Connection": "close"]) { given, _ in given })
    (status, self.headers) = try client.readHead()
    body = try client.readToEnd()
    ending = client.ending
  }

  var text: String {
    String(decoding: body, as: UTF8.self)
  }
}

/// Runs `body` with an origin, and stops the origin.
func withOrigin(tls: TLSMaterial? = nil, _ body: (ScriptedOrigin) throws -> Void) throws {
  let origin = try ScriptedOrigin.start(tls: tls)
  do {
    try body(origin)
  } catch {
    try origin.stop()
    throw error
  }
  try origin.stop()
}
