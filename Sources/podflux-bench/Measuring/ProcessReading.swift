import Foundation
import TestSupport

/// The kernel's figures of a running process (proc(5)).
struct ProcessReading {
  /// Resident memory now, in bytes.
  let residentBytes: Int64
  /// The most resident memory so far, in bytes.
  let peakResidentBytes: Int64
  /// User and system time so far, in seconds.
  let cpuSeconds: Double

  init(_ process: PodfluxProcess) throws {
    let folder = "/proc/\(process.pid)"
    let status = try String(contentsOfFile: folder + "/status", encoding: .utf8)
    let stat = try String(contentsOfFile: folder + "/stat", encoding: .utf8)
    func bytes(_ name: String) throws -> Int64 {
      guard
        let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name) }),
        let kibibytes = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap({ Int64($0) })
      else { throw MeasurementFailure("no \(name) in \(folder)/status") }
      return kibibytes * 1024
    }
    residentBytes = try bytes("VmRSS:")
    peakResidentBytes = try bytes("VmHWM:")
    // The name in parentheses may contain blanks, so this counts fields after it, from the third on.
    let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
      throw MeasurementFailure("no times in \(folder)/stat")
    }
    cpuSeconds = (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}
