import Foundation
import TestSupport

/// The kernel's figures of a running process (proc(5)).
struct ProcessReading {
  /// Resident memory now, in bytes.
  let residentBytes: Int64
  /// User and system time so far, in seconds.
  let cpuSeconds: Double

  init(_ process: PodfluxProcess) throws {
    let folder = "/proc/\(process.pid)"
    let status = try String(contentsOfFile: folder + "/status", encoding: .utf8)
    let stat = try String(contentsOfFile: folder + "/stat", encoding: .utf8)
    guard
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
      let kibibytes = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap({ Int64($0) })
    else { throw MeasurementFailure("no VmRSS in \(folder)/status") }
    residentBytes = kibibytes * 1024
    // The name in parentheses may contain blanks, so this counts fields after it, from the third on.
    let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
      throw MeasurementFailure("no times in \(folder)/stat")
    }
    cpuSeconds = (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}
