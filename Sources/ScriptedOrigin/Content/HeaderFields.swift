/// Header fields in wire order; names ignore case (RFC 9110 §5.1).
package struct HeaderFields: Sendable, Hashable, ExpressibleByDictionaryLiteral {
  /// One field line.
  package struct Field: Sendable, Hashable {
    /// The name as written.
    package var name: String
    /// The value, without the white space around it.
    package var value: String
  }

  /// All field lines, repeated ones included.
  package private(set) var fields: [Field] = []

  /// The fields of a literal, in its order.
  package init(dictionaryLiteral elements: (String, String)...) {
    fields = elements.map { Field(name: $0.0, value: $0.1) }
  }

  /// The first value of the field called `name`; setting replaces all of them, setting `nil` removes them.
  package subscript(name: String) -> String? {
    get { fields.first { $0.name.isSameFieldName(as: name) }?.value }
    set {
      let place = fields.firstIndex { $0.name.isSameFieldName(as: name) } ?? fields.endIndex
      fields.removeAll { $0.name.isSameFieldName(as: name) }
      if let newValue {
        fields.insert(Field(name: name, value: newValue), at: place)
      }
    }
  }

  /// Every value of the field called `name`, in order.
  package func values(of name: String) -> [String] {
    fields.filter { $0.name.isSameFieldName(as: name) }.map(\.value)
  }

  /// Adds a field line, even if one of that name exists.
  package mutating func append(_ name: String, _ value: String) {
    fields.append(Field(name: name, value: value))
  }
}

extension String {
  /// Whether two field names are equal, ignoring ASCII case.
  func isSameFieldName(as other: String) -> Bool {
    utf8.elementsEqual(other.utf8) { $0.lowercasedASCII == $1.lowercasedASCII }
  }
}

extension UInt8 {
  fileprivate var lowercasedASCII: UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
  }
}
