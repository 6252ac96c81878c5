import Foundation

/// The doc comments of a file's properties and cases: the sentences of the reference.
struct DocComments {
  private var sentences: [String: String] = [:]

  /// Reads a file of this repository's sources.
  init(of file: String) throws {
    let text = try String(contentsOf: Repository.root.appending(path: "Sources/\(file)"), encoding: .utf8)
    var comment: [Substring] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let line = line.drop { $0 == " " }
      if line.hasPrefix("///") {
        comment.append(line.dropFirst(3).drop { $0 == " " })
      } else {
        if !comment.isEmpty, let match = line.prefixMatch(of: /(?:public )?(?:var|case) ([A-Za-z0-9]+)/) {
          sentences[String(match.1)] = comment.prefix { !$0.isEmpty }.joined(separator: " ")
        }
        comment = []
      }
    }
  }

  /// The first paragraph above the property or case of this name.
  subscript(name: String) -> String { sentences[name] ?? "" }
}

/// Where the repository lies.
enum Repository {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Whether the tests write the reference instead of comparing it.
  static let isWritingReference = ProcessInfo.processInfo.environment["PODFLUX_WRITE_REFERENCE"] == "1"
}
