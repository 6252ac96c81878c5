import Foundation

/// The files in `Fixtures` at the root of the repository, described in `Fixtures/README.md`.
package enum Fixtures {
  /// An MP3 file of 10 s with ID3 tags.
  package static let mp3 = "audio/tone.mp3"
  /// An AAC file of 10 s in MP4.
  package static let m4a = "audio/tone.m4a"
  /// An Opus file of 10 s in Ogg.
  package static let opus = "audio/tone.opus"

  /// The folder: the environment variable `PODFLUX_FIXTURES`, or the one beside these sources.
  package static let root: String =
    ProcessInfo.processInfo.environment["PODFLUX_FIXTURES"] ?? repositoryRoot.appendingPathComponent("Fixtures").path

  /// The path of a fixture, relative to the folder.
  package static func path(_ name: String) -> String {
    root + "/" + name
  }

  /// The content of a fixture, as a body.
  package static func body(_ name: String) throws -> Body {
    .bytes(try contents(name))
  }

  /// A fixture repeated up to `length` bytes: it begins like the real file.
  package static func body(_ name: String, repeatedToLength length: Int) throws -> Body {
    .repeating(try contents(name), length: length)
  }

  private static func contents(_ name: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: path(name)))
  }

  /// The folder three levels above this file: Sources/ScriptedOrigin/Fixtures.swift.
  private static var repositoryRoot: URL {
    URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  }
}
