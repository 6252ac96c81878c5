import ArgumentParser
import Foundation

/// A list of URLs, one in a line. Empty lines and those that begin with # say nothing.
enum URLList {
  /// The largest list, in bytes.
  private static let maximumBytes = 64 << 20

  /// Reads a file; - is stdin.
  static func read(_ path: String) throws -> [String] {
    let text: String
    do {
      text = try TextInput.read(path, atMost: maximumBytes)
    } catch {
      StandardError.print("podflux: \(error)")
      throw ExitCode.failure
    }
    return text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty && !$0.hasPrefix("#") }
  }
}

/// A text that a person names.
enum TextInput {
  /// Why it cannot be read.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Reads a file; - is stdin.
  static func read(_ path: String, atMost limit: Int) throws(Failure) -> String {
    let name = path == "-" ? "stdin" : "\"\(path)\""
    let data: Data
    do {
      let file = path == "-" ? FileHandle.standardInput : try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      data = try file.read(upToCount: limit + 1) ?? Data()
    } catch {
      throw Failure(description: "\(name) cannot be read")
    }
    guard data.count <= limit else { throw Failure(description: "\(name) has more than \(limit) bytes") }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw Failure(description: "\(name) is no UTF-8")
    }
    return text
  }
}
