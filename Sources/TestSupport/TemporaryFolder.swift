import Foundation

/// A temporary folder; deinit deletes it.
package final class TemporaryFolder: Sendable {
  package let path: String

  package init(_ name: String = "podflux") throws {
    let template = "\(FileManager.default.temporaryDirectory.path)/\(name)-" + String(repeating: "X", count: 6)
    var bytes = Array(template.utf8CString)
    guard mkdtemp(&bytes) != nil else {
      throw PodfluxProcess.Failure("no temporary folder: \(String(cString: strerror(errno)))")
    }
    path = String(decoding: bytes.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }
}
