/// Numbers for the texts by which episodes are known, so that a text is hashed and compared once and its number from
/// then on.
///
/// It is a hash table with open addressing (Knuth, The Art of Computer Programming, section 6.4, algorithm L) that
/// keeps the hashes of its texts: a Dictionary would hash them again each time it grows.
struct NameTable: Sendable {
  /// A text's number. Two have the same number only if they are equal byte for byte.
  struct Name: Hashable, Sendable {
    /// From 0 on, in the order in which texts became known.
    let number: Int32
  }

  /// By their numbers.
  private var texts: [ExactText] = []
  private var hashes: [Int] = []
  /// The numbers of the texts, each at the first place that was free from that of its hash on. A power of two, of which
  /// at least half are free.
  private var places: [Int32]
  private static let free: Int32 = -1
  private static let fewestPlaces = 16

  /// A table with room for so many texts.
  init(capacity: Int) {
    texts.reserveCapacity(capacity)
    hashes.reserveCapacity(capacity)
    var count = Self.fewestPlaces
    while count < 2 * capacity { count *= 2 }
    places = [Int32](repeating: Self.free, count: count)
  }

  /// The text's number, a new one for a new text.
  mutating func name(of text: ExactText) -> Name {
    let hash = text.hashValue
    var place = firstPlace(of: hash)
    while places[place] != Self.free {
      let number = places[place]
      if hashes[Int(number)] == hash, texts[Int(number)] == text { return Name(number: number) }
      place = self.place(behind: place)
    }
    let name = Name(number: Int32(texts.count))
    places[place] = name.number
    texts.append(text)
    hashes.append(hash)
    if 2 * texts.count > places.count { grow() }
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

  private mutating func grow() {
    places = [Int32](repeating: Self.free, count: 2 * places.count)
    for (number, hash) in hashes.enumerated() {
      var place = firstPlace(of: hash)
      while places[place] != Self.free { place = self.place(behind: place) }
      places[place] = Int32(number)
    }
  }

  private func firstPlace(of hash: Int) -> Int { hash & (places.count - 1) }

  private func place(behind place: Int) -> Int { (place + 1) & (places.count - 1) }
}
