import PodfluxCore

/// Beginnings of feeds, and of similar files.
enum FeedSamples {
  /// A name, a beginning, and its signature.
  typealias Sample = (name: String, bytes: [UInt8], signature: MediaSignature?)

  static let feeds: [Sample] = [
    ("RSS behind a declaration", text("<?xml version='1.0' encoding='UTF-8'?>\n<rss version='2.0'><channel>"), .rss),
    ("RSS in capitals", text("<RSS Version=\"2.0\">"), .rss), ("RSS behind blank lines", text("\r\n\n  <rss>"), .rss),
    ("RSS behind a byte order mark and a blank line", [0xEF, 0xBB, 0xBF, 0x0A] + text("<?xml?><rss>"), .rss),
    ("RSS behind a comment", text("<!-- generator=\"x\" --><rss>"), .rss),
    ("RSS behind comments with tags in them", text("<?xml?><!-- <html> --> <!----><rss>"), .rss),
    (
      "RSS behind style sheets",
      text("<?xml version=\"1.0\"?><?xml-stylesheet href=\"a?b>c\"?>\n<?xml-stylesheet type='text/css'?><rss>"), .rss
    ),
    ("RSS behind a declaration that does not end well", text("<?xml version=\"1.0\"><rss>"), .rss),
    (
      "RSS 0.91", text("<?xml?><!DOCTYPE rss PUBLIC \"-//Netscape//DTD RSS 0.91//EN\" \"http://x/rss.dtd\"><rss>"),
      .rss
    ),
    ("RSS with entities", text("<!DOCTYPE rss [<!ENTITY a \"b\">]><rss>"), .rss),
    ("RSS 1.0", text("<rdf:RDF xmlns=\"http://purl.org/rss/1.0/\">"), .rss),
    (
      "RSS 0.90",
      text("<?xml?><rdf:RDF xmlns:rdf=\"x\"\n xmlns=\"http://my.netscape.com/rdf/simple/0.9/\">"), .rss
    ),
    ("RSS, cut in its name's last letter", text("<rss"), .rss),
    ("Atom", text("<?xml?><feed xmlns=\"http://www.w3.org/2005/Atom\">"), .atom),
    ("Atom with a prefix", text("<atom:feed xmlns:atom=\"http://www.w3.org/2005/Atom\">"), .atom),
    ("OPML", text("<?xml version=\"1.0\"?>\n<opml version=\"2.0\"><head>"), .opml),
    ("OPML behind comments", text("<!-- a -->\n<!-- b -->\n<opml>"), .opml),
    ("RSS in UTF-16 with a mark", wide("\u{FEFF}<?xml encoding='UTF-16'?><rss>", isBigEndian: true), .rss),
    ("RSS in UTF-16, turned", wide("\u{FEFF}<?xml?><!-- ü -->\n<rss>", isBigEndian: false), .rss),
    ("Atom in UTF-16 without a mark", wide("<feed>", isBigEndian: true), .atom),
    ("OPML in UTF-16 without a mark, turned", wide("\n<opml>", isBigEndian: false), .opml),
  ]

  static let others: [Sample] = [
    ("XHTML behind a comment", text("<?xml?><!-- x --><html>"), .html),
    ("HTML behind a comment", text("<!-- x --><!DOCTYPE html>"), .html),
    ("HTML in UTF-16", wide("\u{FEFF}<!doctype HTML>", isBigEndian: false), .html),
    ("RDF that is no feed", text("<?xml?><rdf:RDF xmlns:foaf=\"http://xmlns.com/foaf/0.1/\">"), .xml),
    ("an element that only begins like a feed's", text("<?xml?><rssx>"), .xml),
    ("an element that only ends like a feed's", text("<?xml?><myfeed>"), .xml),
    ("a feed inside something else", text("<?xml?><list><rss>"), .xml),
    ("a comment that has a feed in it", text("<?xml?><!-- <rss> -->"), .xml),
    ("a comment that does not end", text("<!-- <rss>"), .html),
    ("a document type that does not end", text("<?xml?><!DOCTYPE rss [ <rss>"), .xml),
    ("text about a feed", text("The <rss> element"), .text),
    ("a tag without a name", text("<?xml?>< rss>"), .xml),
    ("a name of nothing but a prefix", text("<?xml?><rss:>"), .rss),
    ("blanks in UTF-16", wide("\u{FEFF}  ", isBigEndian: true), nil),
  ]

  static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

  /// The text in UTF-16.
  static func wide(_ text: String, isBigEndian: Bool) -> [UInt8] {
    text.utf16.flatMap { unit in
      let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
      return isBigEndian ? [high, low] : [low, high]
    }
  }
}
