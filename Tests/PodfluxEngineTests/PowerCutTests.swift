import FileStore
import Foundation
import Logging
import PodfluxCore
import TestSupport
import Testing

@testable import PodfluxEngine

/// A power cut leaves the current contents of ext4's device.
@Suite(
  "A power cut", .enabled(if: PrivateDisk.unavailability(of: .ext4) == nil, "no ext4 can be mounted here"))
struct PowerCutTests {
  /// Seed 26 of the simulator: the process died between a rename and the sync of its folder. The next one counted the
  /// download as completed, the power failed, and file and partial file were gone.
  @Test("costs no file that a start has counted as published", arguments: [true, false])
  func published(isStarted: Bool) throws {
    let disk = try PrivateDisk(.ext4)
    let library = disk.visiblePath + "/library"
    let files = LibraryFiles(try Library.open(at: library), tagger: nil, logger: Logger(label: "test"))
    let id = try #require(DownloadID("a"))
    let path = try LibraryPath(validating: "a.mp3")
    let contents = Array("ID3".utf8) + [UInt8](repeating: 7, count: 100_000)
    let partial = try files.openPartial(of: id)
    try contents.withUnsafeBytes { try partial.append([$0]) }
    try partial.synchronize()
    let inode = try #require(try partial.prepareToMove(tagging: nil, reserve: 0, while: { true })).inode
    partial.close(deletingEmpty: true)
    // Like an engine that dies before it syncs the folder.
    try #require(rename(library + "/.podflux/partial/a.part", library + "/a.mp3") == 0)
    if isStarted {
      let file = PublishedFile(path: path, length: Int64(contents.count), inode: inode)
      #expect(try files.isPublishedDurably(file, of: id, original: nil))
    }
    let left = try Self.filesAfterPowerCut(of: disk)
    #expect(left.contains("/library/a.mp3") == isStarted)
    #expect(left.contains("/library/.podflux/partial/a.part") != isStarted)
  }

  /// Which of the two files a copy of the device contains, after the journal recovery of the next mount.
  private static func filesAfterPowerCut(of disk: PrivateDisk) throws -> Set<String> {
    let copy = disk.outside + "/copy"
    try FileManager.default.copyItem(atPath: disk.outside + "/image", toPath: copy)
    // Its exit status reports a repair.
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
