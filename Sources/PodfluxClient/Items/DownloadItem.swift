import Flux
import PodfluxCore
import WireProtocol

/// Something of a list that an engine shows, with its id.
package protocol ListItem {
  var id: String { get }
  /// The item as it came.
  var json: JSONObject { get }
  init(_ json: JSONObject) throws(MalformedLine)
}

/// A download as the engine shows it. What a query has not asked for is nil or 0.
package struct DownloadItem: ListItem, Hashable, Sendable {
  package let id: String
  package let url: String?
  package let podcast: String?
  package let title: String?
  package let state: DownloadState.Kind?
  package let phase: String?
  /// Why the download waits; nil unless it does.
  package let reason: WaitingReason?
  package let wait: Wait
  package let bytes: Bytes
  /// Bytes per second.
  package let rate: Int64
  /// Seconds until it is complete; nil for unknown.
  package let secondsLeft: Int64?
  package let attempt: Int64
  package let retryAt: Timestamp?
  package let error: Failure?
  package let isResumable: Bool
  /// Relative to the library; nil unless it is complete.
  package let path: String?
  package let priority: Priority?
  package let network: NetworkPolicy?
  package let origin: Origin?
  package let dates: Dates
  package let json: JSONObject

  /// The details of a wait, besides its reason.
  package struct Wait: Hashable, Sendable {
    package var until: Timestamp?
    package var shortBytes: Int64?
    package var usedBytes: Int64?
    package var budgetBytes: Int64?
  }

  package struct Bytes: Hashable, Sendable {
    package var received: Int64
    package var durable: Int64
    package var total: Int64?
    package var discarded: Int64
    package var discardedBecause: [Amount]

    /// Bytes that were thrown away for one cause.
    package struct Amount: Hashable, Sendable {
      package var cause: String
      package var bytes: Int64
    }
  }

  package struct Dates: Hashable, Sendable {
    package var added: Timestamp?
    package var started: Timestamp?
    package var finished: Timestamp?
    package var modified: Timestamp?
  }

  package init(_ json: JSONObject) throws(MalformedLine) {
    let members = ItemMembers<ItemField>(json: json)
    id = try members.required(.id)
    url = try members.string(.url)
    podcast = try members.string(.podcast)
    title = try members.string(.title)
    state = try members.choice(.state)
    phase = try members.string(.phase)
    reason = try members.choice(.reason)
    wait = try Wait(members.object(.detail))
    bytes = try Bytes(members.object(.bytes))
    rate = try members.integer(.rate) ?? 0
    secondsLeft = try members.integer(.eta)
    attempt = try members.integer(.attempt) ?? 0
    retryAt = try members.moment(.retryAt)
    error = try members.failure(.error)
    isResumable = try members.boolean(.resumable) ?? false
    path = try members.string(.path)
    priority = try members.choice(.priority)
    network = try members.choice(.network)
    origin = try members.choice(.origin)
    dates = try Dates(
      added: members.moment(.addedAt), started: members.moment(.startedAt), finished: members.moment(.finishedAt),
      modified: members.moment(.modifiedAt))
    self.json = json
  }
}

extension DownloadItem.Wait {
  fileprivate init(_ json: JSONObject?) throws(MalformedLine) {
    guard let json else { return }
    until = try json.moment("until")
    shortBytes = try json.integer("shortBytes")
    usedBytes = try json.integer("usedBytes")
    budgetBytes = try json.integer("budgetBytes")
  }
}

extension DownloadItem.Bytes {
  fileprivate init(_ json: JSONObject?) throws(MalformedLine) {
    received = try json?.integer("received") ?? 0
    durable = try json?.integer("durable") ?? 0
    total = try json?.integer("total")
    discarded = try json?.integer("discarded") ?? 0
    discardedBecause = []
    for member in try json?.object("discardedBecause")?.members ?? [] {
      guard case .integer(let bytes) = member.value else { throw MalformedLine("\"discardedBecause\" has no bytes") }
      discardedBecause.append(Amount(cause: member.key, bytes: bytes))
    }
  }
}

/// Why an attempt or a refresh failed.
package struct Failure: Hashable, Sendable {
  /// The code as it came: a later engine may have others.
  package let code: String
  package let message: String
  package let status: Int64?
  /// The code of the last attempt, if all attempts are exhausted.
  package let cause: String?

  package init(code: String, message: String, status: Int64? = nil, cause: String? = nil) {
    (self.code, self.message, self.status, self.cause) = (code, message, status, cause)
  }

  /// Nil if there is none.
  package init?(member key: String, of json: JSONObject) throws(MalformedLine) {
    guard let error = try json.object(key) else { return nil }
    code = try error.required("code", JSONObject.string)
    message = try error.string("message") ?? ""
    status = try error.integer("status")
    cause = try error.string("cause")
  }
}
