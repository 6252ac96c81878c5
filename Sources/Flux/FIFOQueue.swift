/// A queue: the first element that was appended is the first to leave. Each operation costs its elements, on average.
struct FIFOQueue<Element> {
  private var elements: [Element] = []
  /// How many of the array's elements have left.
  private var gone = 0

  var count: Int { elements.count - gone }
  var isEmpty: Bool { count == 0 }
  var first: Element? { isEmpty ? nil : elements[gone] }

  mutating func append(_ element: Element) {
    elements.append(element)
  }

  /// Removes and returns the first element; nil if there is none.
  mutating func popFirst() -> Element? {
    guard let first else { return nil }
    gone += 1
    if gone > elements.count / 2 {
      elements.removeFirst(gone)
      gone = 0
    }
    return first
  }
}

extension FIFOQueue: Sendable where Element: Sendable {}

extension FIFOQueue: Equatable where Element: Equatable {
  static func == (one: Self, other: Self) -> Bool {
    one.elements.dropFirst(one.gone) == other.elements.dropFirst(other.gone)
  }
}

extension FIFOQueue: Hashable where Element: Hashable {
  func hash(into hasher: inout Hasher) { hasher.combine(elements.dropFirst(gone)) }
}
