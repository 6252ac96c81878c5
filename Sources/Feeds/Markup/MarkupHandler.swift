/// An attribute of a tag: where its name and its value are in the tag's bytes.
struct AttributeRange: Sendable {
  var name: Range<Int>
  /// Without quotes, references not replaced.
  var value: Range<Int>
}

/// Takes what a `MarkupScanner` finds.
protocol MarkupHandler {
  /// Whether text is of use here. The scanner skips text that is not.
  var wantsText: Bool { get }

  /// A start tag. `attributes` are ranges of `tag`; an attribute may occur twice.
  mutating func start(_ name: Range<Int>, in tag: Span<UInt8>, attributes: [AttributeRange]) -> MarkupContent

  /// A piece of text in UTF-8. The text of an element may come in many pieces.
  mutating func text(_ bytes: Span<UInt8>)

  /// A character of the text that was written as a reference.
  mutating func reference(to character: Unicode.Scalar)

  /// An end tag, or the end of an empty element. It may match no start tag.
  mutating func end(_ name: Span<UInt8>)
}

/// How the content of an element is read.
enum MarkupContent {
  case markup
  /// As text up to the element's end tag: scripts of web pages.
  case raw
}
