import Foundation
import PodfluxCore

/// A chapter, as it is written into tags.
package struct Chapter: Codable, Hashable, Sendable {
  /// When it begins, in milliseconds from the beginning of the file.
  package let start: Int64
  /// When it ends; nil for the end of the file.
  package let end: Int64?
  package let title: String

  /// How many chapters a file gets: the table of contents of ID3v2 counts them in one byte (ID3v2 Chapter Frame
  /// Addendum, section 3.2).
  package static let limit = 255
  /// How many entries of a document are read.
  static let entryLimit = 1024
  /// The longest title, in bytes of UTF-8; longer ones are cut.
  static let titleBytes = 256
  /// Before which moment a chapter begins, in milliseconds: comments have two digits for hours.
  static let startLimit: Int64 = 100 * 3600 * 1000

  /// The chapters of a document from outside (the Podcasting 2.0 namespace, JSON chapters 1.2), in the order of their
  /// beginnings: at most `limit`, each ends where the next one begins, or before.
  ///
  /// Left out are entries without a beginning or a title, those that are for pictures only (`toc` is false), and all
  /// but the first of those that begin at the same moment. Empty for what is no such document. Cost: linear in its
  /// length.
  package static func chapters(in document: [UInt8]) -> [Chapter] {
    guard document.count <= TagMaterial.chaptersBytes,
      let entries = try? JSONDecoder().decode(ChaptersDocument.self, from: Data(document)).entries
    else { return [] }
    var seen: Set<Int64> = []
    let kept = entries.filter { seen.insert($0.start).inserted }.sorted { $0.start < $1.start }.prefix(limit + 1)
    return kept.prefix(limit).enumerated().map { index, entry in
      let next = index + 1 < kept.count ? kept[index + 1].start : nil
      let own = entry.end.flatMap { $0 > entry.start ? $0 : nil }
      return Chapter(start: entry.start, end: [own, next].compactMap(\.self).min(), title: entry.title)
    }
  }
}

/// A document of chapters, of which only what is understood is taken.
private struct ChaptersDocument: Decodable {
  struct Entry {
    let start: Int64
    let end: Int64?
    let title: String
  }

  let entries: [Entry]

  private enum Key: CodingKey { case chapters }

  init(from decoder: any Decoder) throws {
    var list = try decoder.container(keyedBy: Key.self).nestedUnkeyedContainer(forKey: .chapters)
    var entries: [Entry] = []
    for _ in 0..<Chapter.entryLimit where !list.isAtEnd {
      if let entry = try list.decode(Candidate.self).entry { entries.append(entry) }
    }
    self.entries = entries
  }

  /// An element of the list, which may be anything.
  private struct Candidate: Decodable {
    let entry: Entry?

    private enum Key: CodingKey { case startTime, endTime, title, toc }

    init(from decoder: any Decoder) throws {
      guard let container = try? decoder.container(keyedBy: Key.self) else {
        entry = nil
        return
      }
      func milliseconds(_ key: Key) -> Int64? {
        guard let seconds = try? container.decode(Double.self, forKey: key), seconds >= 0,
          seconds * 1000 < Double(Chapter.startLimit)
        else { return nil }
        return Int64((seconds * 1000).rounded())
      }
      guard let start = milliseconds(.startTime), start < Chapter.startLimit,
        (try? container.decode(Bool.self, forKey: .toc)) ?? true,
        let title = (try? container.decode(String.self, forKey: .title)).flatMap(Self.title)
      else {
        entry = nil
        return
      }
      entry = Entry(start: start, end: milliseconds(.endTime), title: title)
    }

    /// The text in one line; nil if nothing of it is to be seen.
    private static func title(_ text: String) -> String? {
      let line = String(
        String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
      let title = line.trimmingCharacters(in: .whitespaces).cut(toBytes: Chapter.titleBytes)
      return title.isEmpty ? nil : title
    }
  }
}
