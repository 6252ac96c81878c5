extension String {
  /// The text with U+FFFD in place of each scalar that could steer a terminal. Everything that did not originate in
  /// this program, such as a title, goes through this or through `StyledText` before a person sees it.
  ///
  /// Other invisible scalars stay: a path that is copied out of a message must still name its file.
  package var printable: String {
    guard !isPrintableASCII else { return self }
    var scalars = UnicodeScalarView()
    // Tags behind a black flag are a part of it (UTS #51, emoji tag sequences): of the flags of England, Scotland and
    // Wales.
    var tagsLeft = 0
    for scalar in unicodeScalars {
      if scalar.isTag, tagsLeft > 0 {
        tagsLeft -= 1
        scalars.append(scalar)
        continue
      }
      tagsLeft = scalar == "\u{1F3F4}" ? Self.maximumTags : 0
      scalars.append(scalar.steersTerminal ? "\u{FFFD}" : scalar)
    }
    return String(scalars)
  }

  /// The most tags of a flag in use, with the one at its end.
  private static let maximumTags = 6

  /// The printable text without what terminals measure differently: fillers and invisible format characters go, and of
  /// a character with piled-up marks the first scalars stay. What remains has the width that `displayWidth` says.
  var measurable: String {
    guard !isPrintableASCII else { return self }
    var scalars = UnicodeScalarView()
    for character in printable {
      // Scalars are appended one at a time: appending a sequence copies the whole text.
      for scalar in character.unicodeScalars.prefix(Self.maximumScalars) where !scalar.isUnmeasurable {
        scalars.append(scalar)
      }
    }
    return String(scalars)
  }

  /// The most scalars of one character that are shown. The longest emoji in use has ten.
  static let maximumScalars = 12

  /// Whether all bytes are in space…tilde: the usual case, which needs no properties.
  var isPrintableASCII: Bool { utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } }
}

extension Unicode.Scalar {
  /// Whether a terminal would obey this instead of showing it: controls (C0, DEL, C1), separators of lines and
  /// paragraphs, what changes the direction of text (UAX #9), and tags that are no part of a flag, which hide text.
  fileprivate var steersTerminal: Bool {
    if isASCII { return value < 0x20 || value == 0x7F }
    return switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: properties.isBidiControl || isTag
    }
  }

  fileprivate var isTag: Bool { Self.tags.contains(value) }

  /// Whether this is invisible without a part in forming letters or emoji. Joiners and variation selectors have one.
  fileprivate var isUnmeasurable: Bool {
    properties.isDefaultIgnorableCodePoint && !properties.isVariationSelector && !Self.joiners.contains(value)
  }

  private static let tags: ClosedRange<UInt32> = 0xE0000...0xE007F
  /// ZERO WIDTH NON-JOINER and ZERO WIDTH JOINER.
  private static let joiners: ClosedRange<UInt32> = 0x200C...0x200D
}
