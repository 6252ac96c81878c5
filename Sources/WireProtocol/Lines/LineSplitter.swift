/// Splits a stream of bytes into lines, with bounded memory.
package struct LineSplitter {
  /// A line without its line feed.
  package enum Line {
    case complete(UnsafeRawBufferPointer, number: Int)
    /// It exceeded the limit; its bytes are gone.
    case tooLong(number: Int)
  }

  private let limit: Int
  private var rest: [UInt8] = []
  private var isSkipping = false
  private var number = 0

  package init(limit: Int) {
    self.limit = limit
  }

  /// Takes a piece of the stream and calls the body with each complete line.
  package mutating func feed(_ piece: UnsafeRawBufferPointer, _ body: (Line) -> Void) {
    var piece = piece
    while let end = piece.firstIndex(of: UInt8(ascii: "\n")) {
      endLine(UnsafeRawBufferPointer(rebasing: piece[..<end]), body)
      piece = UnsafeRawBufferPointer(rebasing: piece[(end + 1)...])
    }
    guard !isSkipping, !piece.isEmpty else { return }
    if rest.count + piece.count > limit {
      isSkipping = true
      rest = []
    } else {
      rest.append(contentsOf: piece)
    }
  }

  /// The stream has ended: remaining bytes form the last line.
  package mutating func finish(_ body: (Line) -> Void) {
    guard isSkipping || !rest.isEmpty else { return }
    endLine(UnsafeRawBufferPointer(start: nil, count: 0), body)
  }

  private mutating func endLine(_ end: UnsafeRawBufferPointer, _ body: (Line) -> Void) {
    number += 1
    defer {
      rest.removeAll(keepingCapacity: rest.capacity <= Self.keptCapacity)
      isSkipping = false
    }
    if isSkipping || rest.count + end.count > limit {
      body(.tooLong(number: number))
    } else if rest.isEmpty {
      body(.complete(end, number: number))
    } else {
      rest.append(contentsOf: end)
      rest.withUnsafeBytes { body(.complete($0, number: number)) }
    }
  }

  /// Frees the memory of an unusually long line beyond this size, in bytes.
  private static let keptCapacity = 64 << 10
}
