import FileStore
import Foundation
import PodfluxCore
import TestSupport
import Testing

@testable import PodfluxEngine

/// What ext4 has on its device at a moment is what a power cut at that moment leaves.
@Suite(
  "A power cut", .enabled(if: PrivateDisk.unavailability(of: .ext4) == nil, "no ext4 can be mounted here"))
struct PowerCutTests {
  /// Seed 26 of the simulator: the process died between a rename and the sync of its folder. The next one called the download
  /// completed, the power failed, and file and partial were gone.
  @Test("costs no file that a start has taken for published", arguments: [true, false])
  func published(isStarted: Bool) throws {
    let disk = try PrivateDisk(.ext4)
    let library = disk.visiblePath + "/library"
    let files = LibraryFiles(try Library.open(at: library))
    let id = try #require(DownloadID("a"))
    let path = try LibraryPath(validating: "a.mp3")
    let contents = Array("ID3".utf8) + [UInt8](repeating: 7, count: 100_000)
    let partial = try files.openPartial(of: id)
    try contents.withUnsafeBytes { try partial.append([$0]) }
    try partial.synchronize()
    let inode = try #require(try partial.prepareToMove(reserve: 0, while: { true }))
    partial.close()
    // As an engine does that dies before it syncs the folder.
    try #require(rename(library + "/.podflux/partial/a.part", library + "/a.mp3") == 0)
    if isStarted {
      let file = PublishedFile(path: path, length: Int64(contents.count), inode: inode)
      #expect(try files.isPublishedDurably(file, of: id))
    }
    let left = try Self.filesAfterPowerCut(of: disk)
    #expect(left.contains("/library/a.mp3") == isStarted)
    #expect(left.contains("/library/.podflux/partial/a.part") != isStarted)
  }

  /// The names of two that are on a copy of the device, with its journal played back as the next mount does.
  private static func filesAfterPowerCut(of disk: PrivateDisk) throws -> Set<String> {
    let copy = disk.outside + "/copy"
    try FileManager.default.copyItem(atPath: disk.outside + "/image", toPath: copy)
    // Its status says that something was mended.
    _ = try run("/usr/sbin/e2fsck", ["-fy", copy])
    return try Set(
      ["/library/a.mp3", "/library/.podflux/partial/a.part"].filter { name in
        try run("/usr/sbin/debugfs", ["-R", "stat \(name)", copy]).contains("Inode:")
      })
  }

  private static func run(_ path: String, _ arguments: [String]) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: bytes, as: UTF8.self)
  }
}
