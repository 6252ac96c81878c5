import Foundation
import PodfluxCore

/// Members that only lines of the engine have.
extension JSONWriter {
  mutating func members(of event: Announcement.Event) {
    switch event {
    case .started(let attempt):
      member("attempt", attempt.generation)
      member("id", attempt.download.description)
    case .waiting(let id, let waiting):
      object("detail") { $0.members(of: Wait(waiting)) }
      key("error")
      ValueForm<DownloadError>.object.write(waiting.error, &self)
      member("id", id.description)
      member("reason", waiting.reason.rawValue)
      member("until", waiting.until)
    case .blocked(let id, let obstacle):
      if let wait = Wait(obstacle) { object("detail") { $0.members(of: wait) } }
      member("id", id.description)
      member("reason", obstacle.reason.rawValue)
    case .removed(let id, let file):
      if let file {
        object("file") {
          $0.member("length", file.length)
          $0.member("path", file.path.description)
        }
      }
      member("id", id.description)
    }
  }

  /// A member in the form in which the core stores the value.
  mutating func member(named key: String, encoded value: some Encodable) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let json = try? encoder.encode(value) else { preconditionFailure("steps and sizes can always be written") }
    self.key(named: key)
    raw(json)
  }
}

extension Field {
  /// Reads a member of a line's payload that `JSONWriter.member(named:encoded:)` has written.
  func decoded<Value: Decodable>(_ key: String, from line: [UInt8]) throws(Refusal) -> Value {
    let decoder = JSONDecoder()
    decoder.userInfo[StoredMember<Value>.key] = key
    do {
      return try decoder.decode(StoredMember<Value>.self, from: Data(line)).value
    } catch {
      throw mustBe("as the engine writes it: \(error)")
    }
  }
}

/// A member of the payload of a line.
private struct StoredMember<Value: Decodable>: Decodable {
  static var key: CodingUserInfoKey {
    guard let key = CodingUserInfoKey(rawValue: "key") else { preconditionFailure("any text is a key") }
    return key
  }

  let value: Value

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    guard let key = decoder.userInfo[Self.key] as? String else { preconditionFailure("Field.decoded names the key") }
    let payload = try decoder.container(keyedBy: Name.self)
      .nestedContainer(keyedBy: Name.self, forKey: Name(stringValue: "payload"))
    value = try payload.decode(Value.self, forKey: Name(stringValue: key))
  }
}
