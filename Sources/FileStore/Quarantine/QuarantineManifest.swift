import Flux
import Foundation
import PodfluxCore

/// The record beside a file in quarantine: its original path, the time and the reason.
///
/// It is a small JSON object that users can read. Other programs may have edited it, so the engine validates every
/// field.
struct QuarantineManifest: Hashable {
  /// The longest manifest that is read, in bytes.
  static let maximumBytes = 256 << 10
  /// The longest reason that is written, in characters.
  private static let longestReason = 1000

  /// A user restored the file to a path, perhaps another than its original one.
  struct Restoration: Hashable {
    let place: EntryPath
    let inode: UInt64
    let length: Int64
  }

  /// The original path, valid or not.
  let place: EntryPath?
  let inode: UInt64
  let length: Int64
  let because: String
  let at: Timestamp?
  let download: DownloadID?
  var restoration: Restoration?

  /// The original path if it can hold a published file.
  var legalPlace: EntryPath? {
    place.flatMap { (try? $0.names()) == nil ? nil : $0 }
  }
}

extension QuarantineManifest {
  private static let version = 1

  /// The manifest as JSON with sorted keys.
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

  /// Parses a manifest; nil if it is invalid or has an unknown version.
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

/// The JSON form.
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

/// A path as readable text and, if that is not UTF-8, its bytes.
private struct PlaceText: Codable {
  let base64: Data?
  let text: String

  init(_ path: EntryPath) {
    text = path.text
    base64 = String(validating: path.bytes, as: UTF8.self) == nil ? Data(path.bytes) : nil
  }

  var path: EntryPath { EntryPath(bytes: base64.map { [UInt8]($0) } ?? Array(text.utf8)) }
}
