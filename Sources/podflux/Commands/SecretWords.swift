import PodfluxPeople

/// What must not stand in an error that quotes the command line: values of headers, and what addresses have of logins
/// and tokens, also in a word with a mistake in it.
struct SecretWords {
  private var replacements: [(secret: String, shown: String)] = []

  /// - Parameter arguments: The words behind the command's name.
  init(_ arguments: [String]) {
    for (place, word) in arguments.enumerated() {
      let (name, value) = Self.parts(of: word)
      let isHeader = name == Self.header || (place > 0 && arguments[place - 1] == Self.header)
      let shown = isHeader ? "…" : value.contains(":/") || value.contains("@") ? value.withoutCredentials : value
      if shown != value, !value.isEmpty { replacements.append((value, shown)) }
    }
    // A secret may be a part of a longer one, which is replaced first.
    replacements.sort { $0.secret.utf8.count > $1.secret.utf8.count }
  }

  /// The text without them: in quotation marks, and from so many bytes on also without, since a shorter one is a part
  /// of other words.
  func removed(from text: String) -> String {
    replacements.reduce(text) { text, word in
      let quoted = ["'", "\""].reduce(text) { $0.replacing($1 + word.secret + $1, with: $1 + word.shown + $1) }
      return word.secret.utf8.count < Self.unquotedBytes ? quoted : quoted.replacing(word.secret, with: word.shown)
    }
  }

  private static let header = "--header"
  private static let unquotedBytes = 8

  /// An option's name, and its value; a word of any other kind is a value.
  private static func parts(of word: String) -> (name: String?, value: String) {
    guard word.hasPrefix("--"), let sign = word.firstIndex(of: "=") else { return (nil, word) }
    return (String(word[..<sign]), String(word[word.index(after: sign)...]))
  }
}
