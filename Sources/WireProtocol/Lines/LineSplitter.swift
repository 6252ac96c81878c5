/// Splits a stream of bytes into lines, with bounded memory.
package struct LineSplitter {
  /// A line without its line feed.
  package enum Line {
    case complete(UnsafeRawBufferPointer, number: Int)
    /// The line exceeded the limit, and its bytes were dropped.
    case tooLong(number: Int)
  }

  private let limit: Int
  private var rest: [UInt8] = []
  private var isSkipping = false
  private var number = 0

  package init(limit: Int) {
    self.limit = limit
  }

  /// Takes a piece of the stream and calls the body with each complete line, until that returns false.
  ///
  /// - Returns: How many bytes were taken; the others are to come again, in front of the next piece.
  @discardableResult
  package mutating func feed(_ piece: UnsafeRawBufferPointer, while body: (Line) -> Bool) -> Int {
    var remaining = piece
    while let end = remaining.firstIndex(of: UInt8(ascii: "\n")) {
      let line = UnsafeRawBufferPointer(rebasing: remaining[..<end])
      remaining = UnsafeRawBufferPointer(rebasing: remaining[(end + 1)...])
      guard endLine(line, body) else { return piece.count - remaining.count }
    }
    guard !isSkipping, !remaining.isEmpty else { return piece.count }
    if rest.count + remaining.count > limit {
      isSkipping = true
      rest = []
    } else {
      rest.append(contentsOf: remaining)
    }
    return piece.count
  }

  /// The stream has ended: remaining bytes form the last line.
  package mutating func finish(_ body: (Line) -> Void) {
    guard isSkipping || !rest.isEmpty else { return }
    _ = endLine(UnsafeRawBufferPointer(start: nil, count: 0)) { line in
      body(line)
      return true
    }
  }

  private mutating func endLine(_ end: UnsafeRawBufferPointer, _ body: (Line) -> Bool) -> Bool {
    number += 1
    defer {
      rest.removeAll(keepingCapacity: rest.capacity <= Self.keptCapacity)
      isSkipping = false
    }
    if isSkipping || rest.count + end.count > limit {
      return body(.tooLong(number: number))
    } else if rest.isEmpty {
      return body(.complete(end, number: number))
    } else {
      rest.append(contentsOf: end)
      return rest.withUnsafeBytes { body(.complete($0, number: number)) }
    }
  }

  /// Frees the memory of a longer line than this, in bytes.
  private static let keptCapacity = 1 << 10
}
