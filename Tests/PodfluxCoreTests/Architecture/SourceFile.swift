import Foundation

/// A Swift source file, analyzed without compiling it.
struct SourceFile: Sendable {
  /// Its target: the folder below `Sources`.
  let target: String
  /// Its path below `Sources`.
  let path: String
  /// Its lines, unchanged.
  let lines: [String]

  /// Its lines without comments and without the text of string literals: the code that the compiler sees.
  let code: [String]

  init(target: String, path: String, text: String) {
    self.target = target
    self.path = path
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    code = Self.code(of: lines)
  }

  /// The modules that it imports, with their line numbers.
  var imports: [(module: String, line: Int)] {
    code.enumerated().compactMap { index, line in
      var words = line.split(separator: " ")
      while let first = words.first, Self.importModifiers.contains(String(first)) || first.hasPrefix("@") {
        words.removeFirst()
      }
      guard words.first == "import" else { return nil }
      words.removeFirst()
      if let first = words.first, Self.importKinds.contains(String(first)) { words.removeFirst() }
      return words.first.map { (String($0.prefix { $0 != "." }), index + 1) }
    }
  }

  private static let importModifiers: Set = ["public", "package", "internal", "fileprivate", "private"]
  private static let importKinds: Set = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]

  private static func code(of lines: [String]) -> [String] {
    var isInText = false
    return lines.map { line in
      let changes = line.contains("\"\"\"")
      defer { if changes { isInText.toggle() } }
      return isInText ? "" : withoutTextAndComments(line)
    }
  }

  private static func withoutTextAndComments(_ line: String) -> String {
    var code: [UInt8] = []
    var isInText = false
    var previous: UInt8 = 0
    for byte in line.utf8 {
      if byte == UInt8(ascii: "\""), previous != UInt8(ascii: "\\") {
        isInText.toggle()
      } else if !isInText {
        code.append(byte)
        if code.suffix(2) == [UInt8(ascii: "/"), UInt8(ascii: "/")] {
          return String(decoding: code.dropLast(2), as: UTF8.self)
        }
      }
      previous = byte
    }
    return String(decoding: code, as: UTF8.self)
  }

  /// All Swift files below a folder of targets, in the order of their paths.
  static func all(in sources: URL) throws -> [SourceFile] {
    let targets = try FileManager.default.contentsOfDirectory(atPath: sources.path).sorted()
    return try targets.flatMap { target in
      // A target may be a symbolic link, which an enumerator does not follow.
      let folder = sources.appendingPathComponent(target).resolvingSymlinksInPath()
      let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
      return try paths.filter { $0.hasSuffix(".swift") }.sorted().map { path in
        let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
        return SourceFile(target: target, path: "\(target)/\(path)", text: text)
      }
    }
  }

  /// The package's folder `Sources`.
  static func sources(from file: String = #filePath) -> URL {
    var folder = URL(fileURLWithPath: file)
    repeat {
      folder.deleteLastPathComponent()
    } while folder.path != "/"
      && !FileManager.default.fileExists(atPath: folder.appendingPathComponent("Package.swift").path)
    return folder.appendingPathComponent("Sources")
  }
}
