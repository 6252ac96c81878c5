import Foundation

/// The doc comments of a file's properties and cases: the sentences of the reference.
struct DocComments {
  private var sentences: [String: String] = [:]

  /// Reads a type in a file of this repository's sources.
  ///
  /// - Parameter declaration: How the type's declaration begins: "enum Code".
  init(of declaration: String, in file: String) throws {
    let source = try String(contentsOf: Repository.root.appending(path: "Sources/\(file)"), encoding: .utf8)
    guard let start = source.range(of: " \(declaration)") else { return }
    let text = source[start.upperBound...]
    var comment: [Substring] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let line = line.drop { $0 == " " }
      if line.hasPrefix("///") {
        comment.append(line.dropFirst(3).drop { $0 == " " })
      } else {
        if !comment.isEmpty, let match = line.prefixMatch(of: /(?:public )?(?:var|case) ([A-Za-z0-9]+)/) {
          let name = String(match.1)
          // A type further down may have a case of the same name.
          sentences[name] = sentences[name] ?? comment.prefix { !$0.isEmpty }.joined(separator: " ")
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
