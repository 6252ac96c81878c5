import Testing

@Suite("The sources follow the design")
struct ArchitectureTests {
  @Test("No file breaks a rule of its target")
  func sources() throws {
    let files = try SourceFile.all(in: SourceFile.sources())
    #expect(files.contains { $0.target == "Flux" } && files.contains { $0.target == "PodfluxCore" })
    for file in files {
      #expect(SourceRules.violations(in: file) == [])
    }
  }

  @Test("The table of allowed imports has no cycle")
  func noCircles() {
    func reaches(_ start: String, _ goal: String) -> Bool {
      SourceRules.allowedImports[start, default: []].contains { $0 == goal || reaches($0, goal) }
    }
    for target in SourceRules.allowedImports.keys {
      #expect(!reaches(target, target), "\(target) can be reached from itself")
    }
  }

  // MARK: The checker itself

  private func rules(_ text: String, target: String = "PodfluxCore") -> [String] {
    SourceRules.violations(in: SourceFile(target: target, path: "\(target)/Sample.swift", text: text)).map(\.rule)
  }

  @Test(
    "The checker finds what a pure target must not contain",
    arguments: [
      "import Foundation", "@preconcurrency import Dispatch", "public import GRDB", "import struct Foundation.Date",
      "@testable import Persistence", "  import Synchronization", "let now = Date()", "let id = UUID()",
      "let n = Int.random(in: 0...1)", "names.shuffled()", "hosts.randomElement()", "DispatchQueue.main.async {}",
      "FileManager.default", "print(1)", "Task { await x() }", "let x = try! y()", "let x = y as! Z", "// TODO: later",
      "/// FIXME", "Int.random(in: 0...1) + Int.random(in: 0...1, using: &r)",
      "queue(qos: .userInitiated)", "quality = .userInteractive",
      "let wake = Mutex<(@Sendable () -> Void)?>(nil)", "let last = Mutex<(Set<Int>, () -> Int)>(x)",
    ])
  func forbidden(text: String) {
    #expect(rules(text).count == 1, "\(rules(text))")
  }

  @Test(
    "The checker accepts what is allowed",
    arguments: [
      "import Flux", "// import Foundation", "/// See `Date()`.", "let text = \"Date() and // TODO\".isEmpty ? 1 : 2",
      "Int.random(in: 0...1, using: &random)", "struct Dates {}", "var updated: UpDate(1)", "try? x()", "x as? Y",
      "let important = 1", "Bool.random(using: &r)", "func open(_ file: Mutex<Set<Int>?>) -> Bool",
    ])
  func allowed(text: String) {
    #expect(rules(text.replacing("// TODO", with: "")).isEmpty, "\(rules(text))")
  }

  @Test("Other targets may use the system, and only modules below them")
  func otherTargets() {
    #expect(rules("import Foundation\nimport GRDB\nlet now = Date()", target: "Persistence").isEmpty)
    #expect(rules("import PodfluxEngine", target: "Persistence").count == 1)
    #expect(rules("import GRDB", target: "FileStore").count == 1)
    #expect(rules("import PodfluxCore", target: "Flux").count == 1)
    #expect(rules("", target: "Unknown").count == 1)
  }

  @Test("What no embedding program sees is not public")
  func access() {
    for text in ["public struct Row {}", "  @inlinable public func read() {}", "public private(set) var count = 0"] {
      #expect(rules(text, target: "Persistence").count == 1)
      #expect(rules(text, target: "PodfluxEngine").isEmpty)
    }
    #expect(rules("package struct Row {}\ncase .public: 1", target: "Persistence").isEmpty)
  }

  @Test("A comment that is too wide is found")
  func width() {
    let fitting = "/// " + String(repeating: "ä", count: SourceRules.maximumColumns - 4)
    #expect(rules(fitting).isEmpty)
    #expect(rules(fitting + "ä").count == 1)
  }

  @Test("A file that is too long is found")
  func length() {
    let line = "let x = 1\n"
    #expect(rules(String(repeating: line, count: SourceRules.maximumLines - 1)).isEmpty)
    #expect(rules(String(repeating: line, count: SourceRules.maximumLines)).count == 1)
  }
}
