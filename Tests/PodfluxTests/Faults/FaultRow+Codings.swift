import Foundation
import ScriptedOrigin

/// Unrequested content codings.
extension FaultRow {
  static let codings: [FaultRow] = {
    guard let zipped = Body.gzip(of: Episode.body) else { return [] }
    let cut = zipped.length / 2
    let whole = coded(zipped)
    return [
      FaultRow("gzip", [whole], [.whole], is: Episode.body),
      FaultRow("gzip whose hash is known", [whole], [.whole], is: Episode.body).proven(by: Episode.body),
      FaultRow("gzip in chunks", [whole.framed(.chunked)], [.whole], is: Episode.body),
      FaultRow("gzip that only the close ends", [whole.framed(.closing)], [.whole], is: Episode.body),
      FaultRow(
        "gzip that breaks off", [whole.cutting(afterBytes: cut), whole], [.whole, .anything], is: Episode.body),
      FaultRow(
        "gzip that the close ends too early", [whole.framed(.closing).cutting(afterBytes: cut), whole],
        [.whole, .anything], is: Episode.body),
      FaultRow(
        "gzip that breaks off, then the file itself", [whole.cutting(afterBytes: cut), Episode.good],
        [.whole, .anything, .whole], is: Episode.body),
      FaultRow("gzip on the resume", [Episode.half, whole], [.whole, .resume], is: Episode.body),
      FaultRow(
        "a part of the gzip on the resume",
        [Episode.half, Episode.part(zipped, "bytes \(Episode.resumed)-299999/300000").coded, Episode.good],
        [.whole, .resume, .whole], is: Episode.body),
      FaultRow(
        "gzip with bytes behind its end", [coded(.joined([zipped, .text("more")])), Episode.good],
        [.whole, .anything, .whole], is: Episode.body),
      FaultRow(
        "a coding that the engine does not know, for ever", [whole.settingHeader("Content-Encoding", "zstd")],
        [.whole, .whole, .whole],
        .exhausted("not_media", keeping: 0)),
    ]
  }()

  private static func coded(_ body: Body) -> Behaviour {
    .resource(
      Resource(body, entityTag: .strong("v1-gzip"), ranges: .ignored, headers: ["Content-Encoding": "gzip"]))
  }
}

extension Behaviour {
  fileprivate var coded: Behaviour { settingHeader("Content-Encoding", "gzip") }
}

extension Body {
  /// The body compressed by gzip(1); nil if that cannot be run.
  static func gzip(of body: Body) -> Body? {
    let path = NSTemporaryDirectory() + "podflux-gzip-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    guard FileManager.default.createFile(atPath: path, contents: Data(body.allBytes)) else { return nil }
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/gzip")
    process.arguments = ["-c", path]
    process.standardOutput = output
    do { try process.run() } catch { return nil }
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? .bytes(bytes) : nil
  }
}
