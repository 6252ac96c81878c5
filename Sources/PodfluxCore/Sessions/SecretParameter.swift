/// A parameter of a query whose value is the secret of a session.
///
/// The value is written as it stands in an address, as a person copies it from there; what cannot stand in a query is
/// percent-encoded (RFC 3986 section 2.1).
package struct SecretParameter: Hashable, Sendable {
  package let name: String
  private let value: String
  /// The value as it is compared.
  private let meaning: [UInt8]

  package init(name: String, value: String) {
    self.name = name
    self.value = Self.encoded(value)
    meaning = Self.meaning(of: value)
  }

  /// Whether a text can be the name of one: it needs no encoding (RFC 3986 section 2.3).
  package static func isName(_ text: String) -> Bool {
    (1...Session.Limits.parameterBytes).contains(text.utf8.count) && text.utf8.allSatisfy(PercentEncoding.isUnreserved)
  }

  /// Whether a URL has a parameter of this name, with any value. Cost: linear.
  package static func isIn(_ url: String, named name: String) -> Bool {
    // The scheduler asks it of each address.
    url.utf8.contains(UInt8(ascii: "?")) && QueryText.parameters(of: url).contains { QueryText.name(of: $0) == name }
  }

  /// The URL with it. One that has a parameter of its name stays as it is. Cost: linear.
  package func added(to url: String) -> String {
    Self.isIn(url, named: name) ? url : QueryText.adding(name + "=" + value, to: url)
  }

  /// The URL without it, however its characters are encoded there. A parameter of its name with another value stays: it
  /// is not this secret. Cost: linear.
  package func removed(from url: String) -> String {
    QueryText.removing(from: url) { parameter in
      QueryText.name(of: parameter) == name && Self.meaning(of: QueryText.value(of: parameter)) == meaning
    }
  }

  /// From this length on, in bytes, a value is taken out of texts by itself, too: a shorter one may be a word.
  private static let leastBareBytes = 12

  /// A text in which addresses may stand, such as a page, without it in any of them. Cost: linear.
  package func removedAnywhere(in text: String) -> String {
    Set([value, String(decoding: meaning, as: UTF8.self)]).sorted().reduce(text) { left, value in
      let left = left.replacing(name + "=" + value, with: name + "=")
      return value.utf8.count < Self.leastBareBytes ? left : left.replacing(value, with: "")
    }
  }

  /// A text as an address has it: what is percent-encoded already stays so.
  private static func encoded(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var encoded: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      let isEscape = byte == UInt8(ascii: "%") && RemoteName.percentDecoded(bytes[index...].prefix(3))?.count == 1
      if PercentEncoding.isUnreserved(byte) || "!$'()*+,=:@/?".utf8.contains(byte) || isEscape {
        encoded.append(byte)
      } else {
        PercentEncoding.append(byte, to: &encoded)
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  /// What a value stands for. Servers write a blank as a plus sign, and a plus sign as one or encoded: all are the same
  /// here.
  private static func meaning(of value: some StringProtocol) -> [UInt8] {
    (RemoteName.percentDecoded(value.utf8) ?? Array(value.utf8)).map {
      $0 == UInt8(ascii: " ") ? UInt8(ascii: "+") : $0
    }
  }
}

extension SecretParameter: CustomStringConvertible, CustomReflectable {
  /// The name only: a description may reach a log.
  package var description: String { "the parameter \(name)" }
  package var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}
