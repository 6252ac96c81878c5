import Testing

@testable import Feeds

@Suite("Titles as plain text")
struct PlainTextTests {
  @Test(
    "HTML is read as text",
    arguments: [
      ("Tom & Jerry", "Tom & Jerry"), ("Tom &amp; Jerry", "Tom & Jerry"), ("<b>Bold</b>", "Bold"), ("a<br>b", "a b"),
      ("a<br/>b", "a b"), ("<P class=\"x\">a</P><p>b</p>", "a b"), ("a<i>b</i>c", "abc"), ("List<Int>", "List<Int>"),
      ("a < b > c", "a < b > c"), ("<3", "<3"), ("<b", "<b"), ("a<b c", "a<b c"), ("<a href='x'>y", "y"),
      ("<b<i>x</i>", "<bx"), ("  a \n\t b  ", "a b"), ("a&nbsp;&nbsp;b", "a b"), ("a\u{A0}b", "a b"),
      ("\u{A0}a\u{A0}", "a"), ("\u{1}a\u{7F}b", "ab"), ("", ""), (" ", ""), ("&", "&"), ("&;", "&;"), ("&#;", "&#;"),
      ("&#x;", "&#x;"), ("&#65;&#x42;", "AB"), ("&#65", "&#65"), ("&bogus;", "&bogus;"), ("&#99999999999;", "\u{FFFD}"),
      ("é\u{301}😀", "é\u{301}😀"), ("Â\u{A0}Ã", "Â Ã"),
      ("a\u{80}b\u{9F}c\u{A1}", "abc\u{A1}"), ("\u{85}a", "a"),
    ])
  func text(html: String, expected: String) {
    #expect(PlainText.text(ofHTML: Array(html.utf8)) == expected)
  }
}
