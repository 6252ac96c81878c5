import CTagReader
import Foundation
import PodfluxCore
import ScriptedOrigin
import TestSupport

@testable import Tagging

/// The files in `Fixtures/tags`.
enum Sample: String, CaseIterable, Sendable {
  case mp3 = "tone.mp3"
  case taggedMP3 = "tagged.mp3"
  case m4a = "tone.m4a"
  case vorbis = "tone.ogg"
  case opus = "tone.opus"
  case flac = "tone.flac"

  /// Their bytes.
  func bytes() throws -> [UInt8] { try Self.bytes(of: rawValue) }

  /// The bytes of a file in `Fixtures/tags`.
  static func bytes(of name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: Fixtures.path("tags/" + name))))
  }

  private var format: tag_reader_format {
    switch self {
    case .mp3, .taggedMP3: TAG_READER_MPEG
    case .m4a: TAG_READER_MP4
    case .vorbis: TAG_READER_VORBIS
    case .opus: TAG_READER_OPUS
    case .flac: TAG_READER_FLAC
    }
  }

  /// The tags of a file of this format.
  func tags(at path: String) throws -> ReadTags {
    var contents = tag_reader_contents()
    guard tag_reader_read(open(path, O_RDONLY | O_CLOEXEC), format, &contents) == 0 else {
      throw PodfluxProcess.Failure("\(path) has no tags of \(self)")
    }
    return ReadTags(contents)
  }
}

/// What the tags of a file say.
struct ReadTags: Equatable {
  var title, album, date, genre: String
  var track, disc, pictures, firstPictureLength, id3Version: Int

  init(_ contents: tag_reader_contents) {
    func text<Characters>(_ characters: Characters) -> String {
      withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
    (title, album) = (text(contents.title), text(contents.album))
    (date, genre) = (text(contents.date), text(contents.genre))
    (track, disc) = (Int(contents.track), Int(contents.disc))
    (pictures, firstPictureLength) = (Int(contents.pictures), contents.first_picture_length)
    id3Version = Int(contents.id3_version)
  }
}

/// A file that is tagged by the worker of the built program.
final class TaggedFile {
  let path: String
  private let folder: TemporaryFolder

  init(_ bytes: [UInt8]) throws {
    folder = try TemporaryFolder("podflux-tags")
    path = folder.path + "/file"
    try Data(bytes).write(to: URL(filePath: path))
  }

  var bytes: [UInt8] { (FileManager.default.contents(atPath: path)).map { [UInt8]($0) } ?? [] }

  /// Its audio's digest.
  var audio: [UInt8]? { AudioDigest.of(bytes) }

  /// Tags it.
  ///
  /// - Parameters:
  ///   - arguments: Another program's; the worker's by default.
  ///   - seconds: Its limit.
  func tag(
    _ tags: EpisodeTags, cover: [UInt8]? = nil, program: Tagger.Program? = nil, seconds: Int = 60,
    while goOn: () -> Bool = { true }
  ) throws -> Tagger.Outcome {
    let copy = open(path, O_RDWR | O_CLOEXEC)
    defer { close(copy) }
    var picture: Int32?
    defer { if let picture { close(picture) } }
    if let cover {
      try Data(cover).write(to: URL(filePath: path + ".cover"))
      picture = open(path + ".cover", O_RDONLY | O_CLOEXEC)
    }
    let itself = Tagger.Program(path: PodfluxProcess.executablePath, arguments: [TaggingWorker.argument])
    return Tagger(program ?? itself, seconds: { _ in seconds }).tag(
      copy, length: Int64(bytes.count), cover: picture, TagOrder(tags, offsetSeconds: 0), while: goOn)
  }
}

extension AudioDigest {
  static func of(_ bytes: [UInt8]) -> [UInt8]? {
    of(fileOfLength: Int64(bytes.count)) { (offset: Int64, count: Int) throws(Never) -> [UInt8] in
      offset < bytes.count ? Array(bytes[Int(offset)...].prefix(count)) : []
    }
  }
}
