/// All downloads of a command together.
package struct TransferSummary: Sendable, Hashable {
  /// How many are done, of how many.
  package let done: Int
  package let count: Int
  package let failed: Int
  package let received: Int64
  /// nil: the length of one of them is unknown.
  package let total: Int64?
  /// 0: nothing moves.
  package let bytesPerSecond: Int64

  package init(done: Int, of count: Int, failed: Int = 0, received: Int64, total: Int64?, bytesPerSecond: Int64) {
    self.done = done
    self.count = count
    self.failed = failed
    self.received = received
    self.total = total
    self.bytesPerSecond = bytesPerSecond
  }

  /// "3 of 9 · 80.0 MB of 240 MB · 4.3 MB/s · 0:37 left". In a narrow terminal the bytes go first, then the rate.
  func line(toWidth limit: Int) -> StyledText {
    var parts = [
      (Part.count, StyledText("\(done) of \(count)")),
      (Part.bytes, StyledText("\(ByteCount(received))" + (total.map { " of \(ByteCount($0))" } ?? ""))),
    ]
    if failed > 0 { parts.insert((Part.count, StyledText("\(failed) failed", .bad)), at: 1) }
    if bytesPerSecond > 0 { parts.append((Part.rate, StyledText(ByteCount(bytesPerSecond).perSecond))) }
    if let left = total.flatMap({ TimeLeft(bytes: $0 - received, at: bytesPerSecond) }) {
      parts.append((Part.left, StyledText("\(left) left")))
    }
    var line = Self.joined(parts)
    for lost in [Part.bytes, .rate] where line.width > limit {
      parts.removeAll { $0.0 == lost }
      line = Self.joined(parts)
    }
    return line.truncated(toWidth: limit)
  }

  /// "3/9 80.0 MB 4.3 MB/s", for a log.
  var plain: String {
    let rate = bytesPerSecond > 0 ? " " + ByteCount(bytesPerSecond).perSecond : ""
    return "\(done)/\(count) \(ByteCount(received))\(rate)" + (failed > 0 ? " \(failed) failed" : "")
  }

  private enum Part { case count, bytes, rate, left }

  private static func joined(_ parts: [(Part, StyledText)]) -> StyledText {
    let dot = StyledText(" · ", .dim)
    return parts.dropFirst().reduce(parts.first?.1 ?? StyledText("")) { $0 + dot + $1.1 }
  }
}
