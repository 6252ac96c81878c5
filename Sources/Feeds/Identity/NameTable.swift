/// Numbers for the texts by which episodes are known, so that a text is hashed and compared once and its number from
/// then on.
struct NameTable: Sendable {
  /// A text's number. Two have the same number only if they are equal byte for byte.
  struct Name: Hashable, Sendable {
    /// From 0 on, in the order in which texts became known.
    let number: Int32
  }

  private var names: [ExactText: Name] = [:]
  private var texts: [ExactText] = []

  /// How many texts a table has room for at least: those of most documents, which are hashed anew whenever it grows.
  private static let leastCapacity = 1024

  /// A table with room for so many texts.
  init(capacity: Int) {
    let capacity = max(capacity, Self.leastCapacity)
    names.reserveCapacity(capacity)
    texts.reserveCapacity(capacity)
  }

  /// The text's number, a new one for a new text.
  mutating func name(of text: ExactText) -> Name {
    let next = Name(number: Int32(texts.count))
    // One look-up, also for a new text.
    let name = { (name: inout Name) in name }(&names[text, default: next])
    if name == next { texts.append(text) }
    return name
  }

  mutating func name(of text: String?) -> Name? {
    text.map { name(of: ExactText($0)) }
  }

  mutating func name(of enclosure: EnclosureKey?) -> Name? {
    enclosure.map { name(of: $0.text) }
  }

  /// The text with a number of this table.
  func text(of name: Name) -> ExactText {
    texts[Int(name.number)]
  }
}
