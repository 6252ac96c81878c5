import Flux
import Foundation
import PodfluxCore

/// What is written beside a file in quarantine: whence it came, when and why.
///
/// It is a small JSON object, for people too. Anybody may have changed it, so nothing in it is believed further than it
/// can be checked.
struct QuarantineManifest: Hashable {
  /// The longest manifest that is read, in bytes.
  static let maximumBytes = 256 << 10
  /// How much of the reason is written, in characters.
  private static let longestReason = 1000

  /// A person has put the file back to a place, perhaps another than it came from.
  struct Restoration: Hashable {
    let place: EntryPath
    let inode: UInt64
    let length: Int64
  }

  /// Whence the file came, whatever that is.
  let place: EntryPath?
  let inode: UInt64
  let length: Int64
  let because: String
  let at: Timestamp?
  let download: DownloadID?
  var restoration: Restoration?

  /// Whence the file came, if that is a place for a published file.
  var legalPlace: EntryPath? {
    place.flatMap { (try? $0.names()) == nil ? nil : $0 }
  }
}

extension QuarantineManifest {
  private static let version = 1

  /// The manifest as JSON, its keys in the order of the alphabet.
  var json: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let document = Document(
      at: at.map(Self.text), because: String(because.prefix(Self.longestReason)), download: download?.description,
      inode: inode, length: length,
      place: place.map(PlaceText.init), restored: restoration.map(Document.Restored.init), version: Self.version)
    guard let data = try? encoder.encode(document) else {
      preconditionFailure("a document of texts and integers is JSON")
    }
    return [UInt8](data) + [UInt8(ascii: "\n")]
  }

  /// Reads a manifest; nil if it is none, or of a version that is not known.
  init?(json: [UInt8]) {
    guard json.count <= Self.maximumBytes,
      let document = try? JSONDecoder().decode(Document.self, from: Data(json)), document.version == Self.version
    else { return nil }
    place = document.place?.path
    inode = document.inode
    length = document.length
    because = document.because
    at = document.at.flatMap(InternetDate.parse)
    download = document.download.flatMap { DownloadID($0) }
    restoration = document.restored.map {
      Restoration(place: $0.place.path, inode: $0.inode, length: $0.length)
    }
  }

  private static func text(_ moment: Timestamp) -> String {
    var bytes: [UInt8] = []
    InternetDate.append(moment, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// The manifest as it is written.
private struct Document: Codable {
  struct Restored: Codable {
    let inode: UInt64
    let length: Int64
    let place: PlaceText

    init(_ restoration: QuarantineManifest.Restoration) {
      inode = restoration.inode
      length = restoration.length
      place = PlaceText(restoration.place)
    }
  }

  let at: String?
  let because: String
  let download: String?
  let inode: UInt64
  let length: Int64
  let place: PlaceText?
  let restored: Restored?
  let version: Int
}

/// A path as people can read it and, if it is no UTF-8, its bytes too.
private struct PlaceText: Codable {
  let base64: Data?
  let text: String

  init(_ path: EntryPath) {
    text = path.text
    base64 = String(validating: path.bytes, as: UTF8.self) == nil ? Data(path.bytes) : nil
  }

  var path: EntryPath { EntryPath(bytes: base64.map { [UInt8]($0) } ?? Array(text.utf8)) }
}
