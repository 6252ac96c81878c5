import Foundation
import Yams

/// What a process must know before a library is open, as a file of a person or of the machine says it.
package struct ConfigurationFile: Sendable, Hashable {
  /// What a file can say. Everything else is durable in the library (`podflux settings`).
  package enum Key: String, CaseIterable, Sendable {
    case library, state, socket, network, journal, secrets, netrc
    case caFile = "ca-file"
    case credentialsKey = "credentials-key"
    case logLevel = "log-level"
  }

  /// The largest file, in bytes: it has ten short lines.
  private static let maximumBytes = 64 << 10

  package let path: String
  private let values: [Key: String]

  package subscript(key: Key) -> String? { values[key] }

  /// Reads a file; nil if it is not there.
  ///
  /// - Parameter remedy: What a person can do if it cannot be read.
  package static func read(at path: String, remedy: String? = nil) throws(ConfigurationFault) -> ConfigurationFile? {
    let data: Data
    do {
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      // Nil at the end: an empty file says nothing.
      data = try file.read(upToCount: maximumBytes + 1) ?? Data()
    } catch CocoaError.fileReadNoSuchFile, CocoaError.fileNoSuchFile {
      return nil
    } catch {
      throw ConfigurationFault(
        path, (["it cannot be read: \(error.systemWords)"] + [remedy].compactMap(\.self)).joined(separator: "; "))
    }
    guard data.count <= maximumBytes else {
      throw ConfigurationFault(path, "it has more than \(maximumBytes) bytes")
    }
    guard let text = String(validating: data, as: UTF8.self) else { throw ConfigurationFault(path, "it is no UTF-8") }
    return try ConfigurationFile(text, path: path)
  }

  /// - Parameter path: Where the text is from, for messages.
  package init(_ text: String, path: String) throws(ConfigurationFault) {
    self.path = path
    var values: [Key: String] = [:]
    for (name, value) in try Self.members(of: text, path: path) {
      guard let key = Key(rawValue: name) else {
        let known = Key.allCases.map(\.rawValue).sorted().joined(separator: ", ")
        throw ConfigurationFault(
          path, "there is no key \"\(name)\"; known are \(known), and podflux settings knows all others")
      }
      guard case .scalar(let scalar) = value, value.tag == Tag(.str), !scalar.string.isEmpty else {
        throw ConfigurationFault(path, "\"\(name)\" must be a text")
      }
      values[key] = scalar.string
    }
    self.values = values
  }

  private static func members(of text: String, path: String) throws(ConfigurationFault) -> [(String, Node)] {
    let root: Node?
    do {
      root = try compose(yaml: text)
    } catch {
      throw ConfigurationFault(path, "it is no YAML: " + ((error as? YamlError).map(Self.sentence) ?? "\(error)"))
    }
    // A file of comments only.
    guard let root, root.tag != Tag(.null) else { return [] }
    guard case .mapping(let mapping) = root else {
      throw ConfigurationFault(path, "it must have lines such as \"library: /srv/podcasts\"")
    }
    var members: [(String, Node)] = []
    for (key, value) in mapping {
      guard case .scalar(let scalar) = key else { throw ConfigurationFault(path, "a key must be a text") }
      members.append((scalar.string, value))
    }
    return members
  }

  private static func sentence(for error: YamlError) -> String {
    switch error {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      "line \(mark.line): \(problem)"
    case .duplicatedKeysInMapping(let duplicates, _):
      "the key \"\(duplicates.min() ?? "")\" occurs twice"
    default: "it cannot be parsed"
    }
  }
}

/// What is wrong with the configuration: one sentence that names where.
package struct ConfigurationFault: Error, Hashable, CustomStringConvertible {
  package let description: String

  package init(_ place: String, _ sentence: String) {
    description = "\(place): \(sentence)"
  }
}
