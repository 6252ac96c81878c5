import Foundation
import PodfluxCore
import TestSupport

@testable import Tagging

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
    _ tags: EpisodeTags, cover: [UInt8]? = nil, chapters: [Chapter] = [], program: Tagger.Program? = nil,
    seconds: Int = 60,
    while goOn: () -> Bool = { true }
  ) throws -> Tagger.Outcome {
    let copy = open(path, O_RDWR | O_CLOEXEC)
    defer { close(copy) }
    let itself = Tagger.Program(path: PodfluxProcess.executablePath, arguments: [TaggingWorker.argument])
    return Tagger(program ?? itself, seconds: { _ in seconds }).tag(
      copy, length: Int64(bytes.count), cover: cover.map(Tagger.Cover.bytes),
      TagOrder(tags, offsetSeconds: 0, chapters: chapters), while: goOn)
  }
}

extension TaggedFile {
  /// Reads its tags, by the worker of the built program unless it is another one.
  func readTags(program: Tagger.Program? = nil, while goOn: () -> Bool = { true }) -> FileTags? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    let itself = Tagger.Program(path: PodfluxProcess.executablePath, arguments: [TaggingWorker.argument])
    return Tagger(program ?? itself).readTags(of: file, while: goOn)
  }
}

extension AudioDigest {
  static func of(_ bytes: [UInt8]) -> [UInt8]? {
    of(fileOfLength: Int64(bytes.count)) { (offset: Int64, count: Int) throws(Never) -> [UInt8] in
      offset < bytes.count ? Array(bytes[Int(offset)...].prefix(count)) : []
    }
  }
}
