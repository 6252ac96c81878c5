import Testing

@testable import podflux

@Suite("Secrets in errors that quote the command line")
struct SecretWordsTests {
  private static let quoted = "The value 'WORD' is invalid for an example"

  @Test(
    "are left out",
    arguments: [
      (["--header", "Authorization Bearer s3cret"], "Authorization Bearer s3cret", "…"),
      (["--header", "x"], "x", "…"),
      (["--header=Authorization Bearer s3cret"], "Authorization Bearer s3cret", "…"),
      (["get", "htp:/user:s3cret@example.org/1.mp3"], "htp:/user:s3cret@example.org/1.mp3", "…@example.org/1.mp3"),
      (["get", "user:s3cret@example.org"], "user:s3cret@example.org", "…@example.org"),
      (["--url=https://example.org/?token=s3cret"], "https://example.org/?token=s3cret", "https://example.org/"),
    ])
  func leftOut(arguments: [String], word: String, shown: String) {
    let text = Self.quoted.replacing("WORD", with: word)
    #expect(SecretWords(arguments).removed(from: text) == Self.quoted.replacing("WORD", with: shown))
  }

  @Test("Other words stay", arguments: ["--frobnicate", "Night Trains", "https://example.org/feed", "12:30", "…"])
  func stay(word: String) {
    let text = Self.quoted.replacing("WORD", with: word)
    #expect(SecretWords(["get", word]).removed(from: text) == text)
  }
}
