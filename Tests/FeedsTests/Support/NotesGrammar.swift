@testable import Feeds

/// What notes may be: text with four references, and the tags that are allowed, well nested, without attributes but the
/// address of a link.
enum NotesGrammar {
  /// The first thing that no notes may have; nil if there is none.
  static func fault(in html: String) -> String? {
    var (rest, open) = (html.utf8[...], [String]())
    while let byte = rest.first {
      switch byte {
      case UInt8(ascii: "<"):
        guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return "a tag without an end" }
        let tag = String(decoding: rest[..<end].dropFirst(), as: UTF8.self)
        if let fault = fault(ofTag: tag, in: &open) { return fault }
        rest = rest[rest.index(after: end)...]
      case UInt8(ascii: "&"):
        guard ["&amp;", "&lt;", "&gt;", "&quot;"].contains(where: { rest.starts(with: $0.utf8) }) else {
          return "an ampersand that stands alone"
        }
        rest = rest.dropFirst()
      case UInt8(ascii: ">"): return "a > outside of a tag"
      case 0..<0x20 where byte != 0x0A && byte != 0x09, 0x7F: return "the control character \(byte)"
      default: rest = rest.dropFirst()
      }
    }
    return open.isEmpty ? nil : "\(open) without an end"
  }

  private static func fault(ofTag tag: String, in open: inout [String]) -> String? {
    if tag.hasPrefix("/") {
      let name = String(tag.dropFirst())
      return open.popLast() == name ? nil : "</\(name)> ends what is not open"
    }
    let name = String(tag.prefix { $0 != " " })
    guard let element = NotesElement(rawValue: name) else { return "<\(tag)>" }
    if element == .a {
      let links = ["a href=\"http://", "a href=\"https://", "a href=\"HTTP", "a href=\"mailto:", "a href=\"MAILTO:"]
      guard links.contains(where: { tag.lowercased().hasPrefix($0.lowercased()) }), tag.hasSuffix("\""),
        tag.dropFirst("a href=\"".count).dropLast().allSatisfy({ $0 != "\"" && $0 != " " && $0 != "<" })
      else { return "<\(tag)>" }
    } else if tag != name {
      return "<\(tag)>"
    }
    if !element.isVoid { open.append(name) }
    return open.count <= NotesWriter.maximumDepth ? nil : "elements too deep"
  }
}
