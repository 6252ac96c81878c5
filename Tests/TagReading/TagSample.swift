import CTagReader
import Foundation
import ScriptedOrigin

/// The files in `Fixtures/tags`.
public enum TagSample: String, CaseIterable, Sendable {
  case mp3 = "tone.mp3"
  case taggedMP3 = "tagged.mp3"
  case m4a = "tone.m4a"
  case vorbis = "tone.ogg"
  case opus = "tone.opus"
  case flac = "tone.flac"

  /// Their bytes.
  public func bytes() throws -> [UInt8] { try Self.bytes(of: rawValue) }

  /// The bytes of a file in `Fixtures/tags`.
  public static func bytes(of name: String) throws -> [UInt8] {
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

  /// The tags of a file of this format; nil if it is none.
  public func tags(at path: String) -> ReadTags? {
    var contents = tag_reader_contents()
    defer { tag_reader_free(&contents) }
    guard tag_reader_read(open(path, O_RDONLY | O_CLOEXEC), format, &contents) == 0 else { return nil }
    return ReadTags(contents)
  }
}

/// What the tags of a file say.
public struct ReadTags: Equatable, Sendable {
  public let title, album, date, genre: String
  public let track, disc, pictures, firstPictureLength, id3Version: Int
  /// As `tag_reader_contents` describes them.
  public let chapters: [String]

  init(_ contents: tag_reader_contents) {
    func text(_ characters: UnsafePointer<CChar>?) -> String { characters.map(String.init(cString:)) ?? "" }
    (title, album) = (text(contents.title), text(contents.album))
    (date, genre) = (text(contents.date), text(contents.genre))
    (track, disc) = (Int(contents.track), Int(contents.disc))
    (pictures, firstPictureLength) = (Int(contents.pictures), contents.first_picture_length)
    id3Version = Int(contents.id3_version)
    chapters = text(contents.chapters).split(separator: "\n").map(String.init)
  }
}
