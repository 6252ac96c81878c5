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
    func bytes(_ name: String) throws -> Int64 {
      guard
        let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name) }),
        let kibibytes = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap({ Int64($0) })
      else { throw MeasurementFailure("no \(name) in \(folder)/status") }
      return kibibytes * 1024
    }
    residentBytes = try bytes("VmRSS:")
    peakResidentBytes = try bytes("VmHWM:")
    cpuSeconds = try Self.cpuSeconds(of: process.pid)
  }

  /// To the nanosecond (clock_getcpuclockid(3)); /proc/PID/stat has hundredths of a second.
  private static func cpuSeconds(of process: pid_t) throws -> Double {
    var (clock, time) = (clockid_t(), timespec())
    guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else {
      throw MeasurementFailure("process \(process) has no CPU clock")
    }
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
