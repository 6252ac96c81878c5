/// A value that several elements may give, of which the best is kept; among equals the first.
struct Ranked<Value: Sendable>: Sendable {
  private(set) var value: Value?
  private var rank = 0

  /// Takes a value if its rank, from 1, is above that of the present one.
  mutating func offer(_ value: Value?, rank: Int) {
    guard let value, rank > self.rank else { return }
    (self.value, self.rank) = (value, rank)
  }

  /// The value, which it has no longer.
  mutating func take() -> Value? { value.take() }
}

/// Images in the order of what is known of them, each once.
struct RankedImages: Sendable {
  private var images: [(image: FeedImage, rank: Int)] = []

  /// Takes an image; those of a higher rank come first.
  mutating func offer(_ image: FeedImage, rank: Int) {
    guard images.count < FeedLimits.maximumRepetitions else { return }
    let place = images.firstIndex { $0.rank < rank } ?? images.endIndex
    images.insert((image, rank), at: place)
  }

  var value: [FeedImage] {
    var seen: [FeedImage] = []
    for (image, _) in images where !seen.contains(where: { $0.address == image.address }) { seen.append(image) }
    return seen
  }
}

extension [FeedImage] {
  /// The images of a `podcast:images`: URLs with a width each, divided by commas.
  static func sourceSet(_ element: FeedElement) throws(FeedProblem) -> [FeedImage] {
    let text = try element.required("srcset")
    var images: [FeedImage] = []
    for candidate in text.split(whereSeparator: \.isWhitespace) {
      var part = candidate
      // A width ends at its comma; other commas may be part of a URL, or end it.
      let digits = part.prefix { $0.isASCII && $0.isNumber }
      if let width = FeedElement.integer(String(digits)), let last = images.indices.last,
        part.dropFirst(digits.count).first == "w"
      {
        images[last].width = width
        part = part.dropFirst(digits.count + 1)
        part = part.first == "," ? part.dropFirst() : part
      }
      if part.last == "," { part = part.dropLast() }
      guard !part.isEmpty, images.count < FeedLimits.maximumRepetitions else { continue }
      images.append(FeedImage(address: try element.address(of: String(part), attribute: "srcset")))
    }
    return images
  }
}
