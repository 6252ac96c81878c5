import Foundation
import TestSupport

/// A private `dbus-daemon`.
final class PrivateBus {
  /// The program's path; nil if it is not installed.
  static let program: String? = ["/usr/bin/dbus-daemon", "/bin/dbus-daemon"].first { (path: String) in
    access(path, X_OK) == 0
  }

  /// The address for clients.
  let address: String
  private let folder: TemporaryFolder
  private let process = Process()

  /// Starts a daemon, and returns when it accepts connections.
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
    // It prints its address when it listens.
    guard !output.fileHandleForReading.availableData.isEmpty else {
      throw PodfluxProcess.Failure("dbus-daemon does not start")
    }
  }

  deinit { stop() }

  /// Ends it, as at a shutdown.
  func stop() {
    guard process.isRunning else { return }
    // A child of a Dispatch thread inherits that thread's signal mask, which blocks all signals that can be blocked.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
