/// A line, or a piece of one, whose looks and width are known.
///
/// It cannot hold anything that steers a terminal or has no certain width: its text is cleaned when it is made.
package struct StyledText: Sendable, Hashable {
  private struct Span: Sendable, Hashable {
    let text: String
    let width: Int
    let style: TextStyle
  }

  private var spans: [Span]
  /// In columns.
  package private(set) var width: Int

  /// A text in one style.
  package init(_ text: String, _ style: TextStyle = .plain) {
    let text = text.measurable
    width = text.displayWidth
    spans = text.isEmpty ? [] : [Span(text: text, width: width, style: style)]
  }

  /// The text without its styles.
  package var text: String { spans.reduce("") { $0 + $1.text } }

  /// Both, one after the other.
  package static func + (left: StyledText, right: StyledText) -> StyledText {
    var sum = left
    sum.spans += right.spans
    sum.width += right.width
    return sum
  }

  /// The text, cut between two characters and ended with "…" if it is wider than `limit` columns.
  package func truncated(toWidth limit: Int) -> StyledText {
    guard width > limit else { return self }
    var cut = StyledText("")
    for span in spans {
      let rest = limit - cut.width
      guard span.width >= rest else {
        cut = cut + StyledText(span.text, span.style)
        continue
      }
      // More follows a span that fills the rest exactly: the space stands for it.
      return cut + StyledText((span.text + " ").truncated(toWidth: rest), span.style)
    }
    return cut
  }

  /// The text with spaces on one side, at least `width` columns wide.
  package func padded(toWidth width: Int, _ alignment: Alignment = .leading) -> StyledText {
    guard self.width < width else { return self }
    let spaces = StyledText(String(repeating: " ", count: width - self.width))
    return alignment == .leading ? self + spaces : spaces + self
  }

  /// The text exactly so many columns wide.
  func fitted(toWidth width: Int, _ alignment: Alignment = .leading) -> StyledText {
    truncated(toWidth: width).padded(toWidth: width, alignment)
  }

  /// The text for a terminal, with its styles if `usesColor`.
  package func rendered(usesColor: Bool) -> String {
    guard usesColor else { return text }
    return spans.reduce("") { line, span in
      guard let rendition = span.style.rendition else { return line + span.text }
      return line + ControlSequence.rendition(rendition) + span.text + ControlSequence.rendition(0)
    }
  }
}

/// What a piece of text means, as far as its looks say it. Nothing is said by color alone.
package enum TextStyle: Sendable, Hashable {
  case plain
  /// Headings.
  case strong
  /// What matters less, such as the empty part of a bar.
  case dim
  /// The filled part of a bar.
  case accent
  /// A success.
  case good
  /// What will be tried again.
  case attention
  /// A failure.
  case bad

  /// The parameter of SGR (ECMA-48) for it: one of the eight colors that each terminal's theme makes readable.
  fileprivate var rendition: Int? {
    switch self {
    case .plain: nil
    case .strong: 1
    case .dim: 2
    case .accent: 36
    case .good: 32
    case .attention: 33
    case .bad: 31
    }
  }
}
