import ArgumentParser
import Foundation
import PodfluxCore
import PodfluxPeople
import WireProtocol

/// A list of URLs, one in a line. Empty lines and those that begin with # say nothing.
enum URLList {
  /// The largest list, in bytes.
  private static let maximumBytes = 64 << 20

  /// Reads a file; - is stdin. A line that is no URL ends the command before anything is done.
  static func read(_ path: String) throws -> [String] {
    let text: String
    do {
      text = try TextInput.read(path, atMost: maximumBytes)
    } catch {
      StandardError.print("podflux: \(error)")
      throw ExitCode.failure
    }
    var urls: [String] = []
    // "\r\n" is one line end: numbers are as editors show them.
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let line = line.trimmingCharacters(in: .whitespaces)
      guard !line.isEmpty, !line.hasPrefix("#") else { continue }
      do throws(UnusableAddress) {
        _ = try WebAddress(fetchable: line)
      } catch {
        let fault = error.isNoWebAddress ? "is no http or https URL" : "must be \(error.wish)"
        StandardError.print(
          "podflux: line \(index + 1) \(fault); write one URL in each line: https://example.org/1.mp3")
        throw ExitCode.wrongUsage
      }
      urls.append(spelled(line))
    }
    return urls
  }

  /// A URL as the engine spells it: with a host in ASCII. A text that is none stays as it is.
  static func spelled(_ url: String) -> String { (try? WebAddress(fetchable: url))?.description ?? url }

  /// How much of a URL that is none is shown, in characters.
  private static let shownCharacters = 120

  /// Rejects an argument that is no URL, before anything is done.
  ///
  /// - Throws: `ValidationError`, which shows it without what may be secret.
  static func check(_ url: String, example: String) throws {
    do throws(UnusableAddress) {
      _ = try WebAddress(fetchable: url)
    } catch {
      let whole = url.withoutCredentials.printable
      let shown = whole.count > shownCharacters ? whole.prefix(shownCharacters) + "…" : whole[...]
      throw ValidationError(
        error.isNoWebAddress
          ? "\"\(shown)\" is no http or https URL; write one such as \(example)" : "\"\(shown)\" must be \(error.wish)")
    }
  }
}

/// A text that a person names.
enum TextInput {
  /// Why it cannot be read.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Reads a file as UTF-8; - is stdin. A byte order mark at its beginning, as editors write it, is no part of the
  /// text.
  static func read(_ path: String, atMost limit: Int) throws(Failure) -> String {
    guard let text = String(validating: try bytes(path, atMost: limit), as: UTF8.self) else {
      throw Failure(description: "\(name(of: path)) is no UTF-8")
    }
    return text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
  }

  private static func name(of path: String) -> String { path == "-" ? "stdin" : "\"\(path)\"" }

  /// Reads a file; - is stdin.
  static func bytes(_ path: String, atMost limit: Int) throws(Failure) -> Data {
    let name = name(of: path)
    let data: Data
    do {
      data =
        path == "-"
        ? try standardInput(upToCount: limit + 1)
        : try FileHandle(forReadingFrom: URL(fileURLWithPath: path)).read(upToCount: limit + 1) ?? Data()
    } catch {
      throw Failure(description: "\(name) cannot be read: \(error.systemWords)")
    }
    guard data.count <= limit else { throw Failure(description: "\(name) has more than \(limit) bytes") }
    return data
  }

  private static func standardInput(upToCount limit: Int) throws -> Data {
    var (data, piece) = (Data(), [UInt8](repeating: 0, count: 64 << 10))
    while data.count < limit {
      let count = piece.withUnsafeMutableBytes { readSome(from: STDIN_FILENO, into: $0) }
      guard count >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
      guard count > 0 else { break }
      data += piece[..<count]
    }
    return data.prefix(limit)
  }
}
