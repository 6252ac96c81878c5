/// Some lines at the bottom of a terminal that are redrawn in place, below lines that scroll away.
///
/// A value that turns lines and the terminal's size into bytes; the caller writes each result with one write(2), which
/// keeps a frame from flickering, asks for the size before each frame, and limits how many there are in a second.
///
/// Between two frames the cursor waits, hidden, at the *beginning* of the region. A terminal that is resized may wrap
/// the region's lines anew or cut them; how many rows they take then is unknown, but where the cursor is, the region
/// begins. The next frame erases everything below and draws again. While a region is drawn nothing wraps: a character
/// whose width a terminal sees differently makes a line ragged, and never shifts the lines below.
package struct LiveRegion: Sendable {
  private struct Frame: Sendable, Equatable {
    let lines: [StyledText]
    let size: TerminalSize
  }

  private let usesColor: Bool
  private var shown: Frame?

  /// Ends a region from anywhere, also from a handler of a signal: erases it, and gives the terminal its cursor back.
  package static let restoration = Array(
    (ControlSequence.eraseFromLine + ControlSequence.startWrapping + ControlSequence.showCursor
      + ControlSequence.endUpdate).utf8)

  /// A region that is not drawn yet.
  package init(usesColor: Bool) {
    self.usesColor = usesColor
  }

  /// The bytes of the next frame; none if nothing changes.
  ///
  /// - Parameters:
  ///   - lines: The region. Lines wider than the terminal are truncated; if there are more than the terminal has, the
  ///     last ones are shown.
  ///   - finished: Lines that scroll away above the region, whole: longer ones wrap.
  ///   - size: The size of the terminal now.
  package mutating func draw(
    _ lines: [StyledText], above finished: [StyledText] = [], on size: TerminalSize
  ) -> [UInt8] {
    let frame = Frame(lines: lines.suffix(size.rows).map { $0.truncated(toWidth: size.columns) }, size: size)
    guard frame != shown || !finished.isEmpty else { return [] }
    let before = shown == nil ? ControlSequence.hideCursor : ""
    let bytes = update(
      before + drawn(frame, above: finished) + ControlSequence.carriageReturn
        + ControlSequence.up(frame.lines.count - 1))
    shown = frame
    return bytes
  }

  /// The bytes of the last frame, which stays; the cursor is below it afterwards.
  package mutating func finish(
    _ lines: [StyledText], above finished: [StyledText] = [], on size: TerminalSize
  ) -> [UInt8] {
    guard shown != nil || !lines.isEmpty || !finished.isEmpty else { return [] }
    let frame = Frame(lines: lines.suffix(size.rows).map { $0.truncated(toWidth: size.columns) }, size: size)
    let bytes = update(
      drawn(frame, above: finished) + (frame.lines.isEmpty ? "" : ControlSequence.newLine)
        + ControlSequence.showCursor)
    shown = nil
    return bytes
  }

  /// The bytes that remove the region, for a question, for other output, or before the process is suspended. The next
  /// frame begins where the cursor is then.
  package mutating func erase() -> [UInt8] {
    guard shown != nil else { return [] }
    shown = nil
    return Self.restoration
  }

  private func update(_ text: String) -> [UInt8] {
    Array((ControlSequence.beginUpdate + text + ControlSequence.endUpdate).utf8)
  }

  /// Draws from the region's beginning, and leaves the cursor in the last line.
  private func drawn(_ frame: Frame, above finished: [StyledText]) -> String {
    // Lines of the same number on the same screen replace one another without being erased first.
    let replaces = finished.isEmpty && shown?.size == frame.size && shown?.lines.count == frame.lines.count
    let start = replaces ? ControlSequence.carriageReturn : ControlSequence.eraseFromLine
    let scrolled = finished.reduce("") { $0 + $1.rendered(usesColor: usesColor) + ControlSequence.newLine }
    let lines = frame.lines.map { line in
      // After a text that fills its line the cursor is on the last column, and erasing would take the text's end.
      line.rendered(usesColor: usesColor) + (line.width < frame.size.columns ? ControlSequence.eraseToEndOfLine : "")
    }
    return start + scrolled + ControlSequence.stopWrapping + lines.joined(separator: ControlSequence.newLine)
      + ControlSequence.startWrapping
  }
}
