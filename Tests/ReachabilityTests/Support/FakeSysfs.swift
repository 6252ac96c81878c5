import Foundation
import TestSupport

@testable import Reachability

/// A folder with the structure of `/sys`, as far as links need it.
final class FakeSysfs {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder("podflux-sysfs")
  }

  var links: SysfsLinks { SysfsLinks(root: folder.path) }

  /// Adds a link with these empty entries.
  func add(_ name: String, type: UInt16 = 1, deviceType: String? = nil, entries: [String] = []) throws {
    let path = "\(folder.path)/class/net/\(name)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try "\(type)\n".write(toFile: path + "/type", atomically: false, encoding: .utf8)
    let event = (deviceType.map { "DEVTYPE=\($0)\n" } ?? "") + "INTERFACE=\(name)\nIFINDEX=3\n"
    try event.write(toFile: path + "/uevent", atomically: false, encoding: .utf8)
    for entry in entries {
      try FileManager.default.createDirectory(atPath: "\(path)/\(entry)", withIntermediateDirectories: true)
    }
  }
}
