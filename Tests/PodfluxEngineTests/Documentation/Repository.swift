import Foundation

/// The repository of this file, as text.
enum Repository {
  /// A file of the repository.
  struct File {
    var name: String
    var text: String
  }

  static let root: URL = {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { folder.deleteLastPathComponent() }
    return folder
  }()

  static let catalogue = root.appendingPathComponent("Sources/PodfluxEngine/PodfluxEngine.docc")

  static func readme() throws -> String {
    try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
  }

  /// An article, by its name without the extension.
  static func article(_ name: String) throws -> String {
    try String(contentsOf: catalogue.appendingPathComponent(name + ".md"), encoding: .utf8)
  }

  /// The texts of all articles.
  static func articles() throws -> [String] {
    try files(under: "Sources/PodfluxEngine/PodfluxEngine.docc", endingWith: ".md").map(\.text)
  }

  /// All text files below a folder with this ending, in the order of their paths, except in `.build` and `.git`.
  static func files(under folder: String = ".", endingWith ending: String) throws -> [File] {
    let start = root.appendingPathComponent(folder).standardizedFileURL
    guard
      let paths = FileManager.default.enumerator(at: start, includingPropertiesForKeys: [.isRegularFileKey, .nameKey])
    else { return [] }
    var files: [File] = []
    while let url = paths.nextObject() as? URL {
      if [".build", ".git"].contains(url.lastPathComponent) { paths.skipDescendants() }
      guard url.lastPathComponent.hasSuffix(ending),
        try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true,
        let text = String(bytes: try Data(contentsOf: url), encoding: .utf8)
      else { continue }
      files.append(File(name: url.lastPathComponent, text: text))
    }
    return files
  }
}

extension String {
  /// The texts between ```` ```language ```` and the fence's end.
  func codeBlocks(in language: String) -> [String] {
    components(separatedBy: "\n```\(language)\n").dropFirst().compactMap {
      $0.components(separatedBy: "\n```").first
    }
  }
}

/// The pieces of code between `// snippet.begin NAME` and `// snippet.end`, without their indentation.
enum Snippets {
  static func all() throws -> [String: String] {
    var snippets: [String: String] = [:]
    for file in try Repository.files(under: "Tests/PodfluxEngineTests/Snippets", endingWith: ".swift") {
      for piece in file.text.components(separatedBy: "// snippet.begin ").dropFirst() {
        let lines = piece.components(separatedBy: "// snippet.end")[0].components(separatedBy: "\n")
        // The last line is the indentation of `// snippet.end`.
        let margin = lines.last?.count ?? 0
        snippets[lines[0]] = lines.dropFirst().dropLast().map { String($0.dropFirst(margin)) }.joined(separator: "\n")
      }
    }
    return snippets
  }
}
