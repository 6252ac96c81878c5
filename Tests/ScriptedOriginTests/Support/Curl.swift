import Foundation

/// Runs Debian's curl to its end.
func curl(_ arguments: [String]) throws -> (status: Int32, output: [UInt8]) {
  let output = Pipe()
  let process = try startCurl(arguments, output: output)
  let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
  process.waitUntilExit()
  return (process.terminationStatus, [UInt8](bytes))
}

/// Starts Debian's curl, which uses no proxy and gives up after 10 seconds.
func startCurl(_ arguments: [String], output: Pipe) throws -> Process {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
  process.arguments = ["--silent", "--max-time", "10", "--noproxy", "*"] + arguments
  process.standardOutput = output
  try process.run()
  return process
}
