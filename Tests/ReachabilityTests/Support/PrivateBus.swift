import Foundation
import TestSupport

/// A `dbus-daemon` of its own.
final class PrivateBus {
  /// Where its program is; nil where it is not installed.
  static let program: String? = ["/usr/bin/dbus-daemon", "/bin/dbus-daemon"].first { (path: String) in
    access(path, X_OK) == 0
  }

  /// What one connects to.
  let address: String
  private let folder: TemporaryFolder
  private let process = Process()

  /// Starts one, and returns when it can be connected to.
  init() throws {
    folder = try TemporaryFolder("podflux-bus")
    address = "unix:path=\(folder.path)/bus"
    let configuration = """
      <busconfig>
        <type>custom</type>
        <listen>\(address)</listen>
        <auth>EXTERNAL</auth>
        <policy context="default">
          <allow user="*"/><allow own="*"/><allow send_destination="*"/><allow receive_sender="*"/>
        </policy>
      </busconfig>
      """
    try configuration.write(toFile: folder.path + "/bus.conf", atomically: false, encoding: .utf8)
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: Self.program ?? "")
    process.arguments = ["--config-file=\(folder.path)/bus.conf", "--nofork", "--nopidfile", "--print-address"]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    // It says its address when it listens.
    guard !output.fileHandleForReading.availableData.isEmpty else {
      throw PodfluxProcess.Failure("dbus-daemon does not start")
    }
  }

  deinit { stop() }

  /// Ends it, as when the machine goes down.
  func stop() {
    guard process.isRunning else { return }
    // A child of a Dispatch thread has that thread's mask, which holds back all signals that can be.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
