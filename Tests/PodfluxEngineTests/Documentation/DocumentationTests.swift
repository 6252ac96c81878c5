import Foundation
import PodfluxCore
import TestSupport
import Testing

/// Checks README.md and the DocC catalogue against the sources.
@Suite("The documentation")
struct DocumentationTests {
  @Test("The catalogue converts without warnings, with the symbols of the built modules")
  func conversion() async throws {
    let folder = try TemporaryFolder("podflux-documentation")
    let graphs = folder.path + "/graphs"
    try await SymbolGraphs.ofBuiltModules.write(of: ["PodfluxCore", "PodfluxEngine"], into: graphs)
    let wanted = ProcessInfo.processInfo.environment["PODFLUX_DOCUMENTATION"]
    let conversion = try Toolchain.inUse().convert(
      Repository.catalogue.path, graphs: graphs, into: wanted ?? folder.path + "/archive", isForBrowsers: wanted != nil)
    #expect(conversion.status == 0, "\(conversion.output)")
    #expect(!conversion.output.contains("warning"), "\(conversion.output)")
  }

  @Test("Every piece of Swift is one that a test runs")
  func snippets() throws {
    let snippets = try Snippets.all()
    #expect(snippets.count >= 9)
    var shown: Set<String> = []
    for text in try Repository.articles() + [Repository.readme()] {
      for block in text.codeBlocks(in: "swift") {
        let name = snippets.first { $0.value == block }?.key
        #expect(name != nil, "no snippet is\n\(block)")
        if let name { shown.insert(name) }
      }
    }
    #expect(shown == Set(snippets.keys), "each snippet stands in an article")
  }

  @Test("Each public type has a contract and a line of use, and a program of another package compiles what is shown")
  func embedding() async throws {
    let symbols = try PublicSymbol.all(in: await SymbolGraphs.ofBuiltModules.all)
    let types = symbols.filter(\.isType)
    #expect(types.count > 200)
    for type in types {
      #expect(type.hasContract, "\(type.name) has no contract")
      #expect(!type.pieces.isEmpty, "\(type.name) has no line of use, neither a fence of Swift nor `Use: ` and code")
    }

    var program = EmbeddingProgram()
    let blocks = try Repository.article("SwiftAPI").codeBlocks(in: "swift")
    #expect(blocks.count >= 9)
    for (number, block) in blocks.enumerated() { program.add(block, from: "SwiftAPI.md, piece \(number + 1)") }
    for symbol in symbols {
      for piece in symbol.pieces { program.add(piece.code, from: symbol.file, line: piece.line) }
    }
    let folder = try TemporaryFolder("podflux-embedding")
    let path = folder.path + "/program.swift"
    try program.text.write(toFile: path, atomically: false, encoding: .utf8)
    let outcome = try Toolchain.inUse().typecheck(path)
    #expect(outcome.status == 0, "\(outcome.output)")
  }

  @Test("README.md fits a page or two, and its links lead somewhere")
  func readme() throws {
    let readme = try Repository.readme()
    #expect(readme.split(separator: "\n", omittingEmptySubsequences: false).count <= 151)
    let targets = readme.matches(of: /(?:\]\(|^\[\d+\]: )([^)\s]+)/.anchorsMatchLineEndings()).map { String($0.1) }
    #expect(targets.count >= 16)
    for target in targets {
      let path = Repository.root.appendingPathComponent(target).path
      #expect(FileManager.default.fileExists(atPath: path), "\(target)")
    }
  }

  @Test("Types and constants that the articles name are in the sources")
  func names() throws {
    let sources = try Repository.files(under: "Sources", endingWith: ".swift").map(\.text).joined(separator: "\n")
    for article in ["Architecture", "SettingsAndLimits"] {
      let text = try Repository.article(article)
      // Two humps at least: single words such as `Range` are common.
      for match in text.matches(of: /`([A-Z][a-z]+(?:[A-Z]+[a-z]*)+)(?:\.([a-z]\w+))?`/) {
        #expect(sources.contains(String(match.1)), "\(article): \(match.1)")
        if let member = match.2 { #expect(sources.contains(" \(member)"), "\(article): \(match.0)") }
      }
    }
  }

  @Test("The article about settings has each of them in its table")
  func settings() throws {
    let rows = try Repository.article("SettingsAndLimits").split(separator: "\n").filter { $0.hasPrefix("| ") }
    for setting in Settings.all {
      #expect(rows.contains { $0.contains("`\(setting.name)`") }, "\(setting.name)")
    }
  }

  @Test("The glossary has at most 40 terms, each once; articles and sources do without the words that name no one")
  func words() throws {
    let terms = try Repository.article("Glossary").matches(of: /^- \*\*([^*]+)\*\*/.anchorsMatchLineEndings())
    #expect((20...40).contains(terms.count) && Set(terms.map { $0.1 }).count == terms.count)
    let words = /\b([Ww]hoever|[Ww]hatever|[Ss]omebody|[Nn]obody|[Aa]nybody)\b/
    for text in try Repository.articles() + [Repository.readme()] {
      #expect(text.firstMatch(of: words) == nil)
    }
    let ends = ["hoever", "hatever", "omebody", "obody", "nybody"]
    for source in try Repository.files(under: "Sources", endingWith: ".swift")
    where ends.contains(where: source.text.contains) {
      #expect(source.text.firstMatch(of: words) == nil, "\(source.name)")
    }
  }

  @Test("No file cites a document or an article that the repository does not hold")
  func citations() throws {
    let documents = try Set(Repository.files(endingWith: ".md").map(\.name))
    let texts =
      try Repository.files(under: "Sources", endingWith: ".swift")
      + Repository.files(under: "Tests", endingWith: ".swift") + Repository.files(under: "Fixtures", endingWith: "")
    #expect(texts.count > 500 && documents.contains("README.md"))
    for file in texts {
      for match in file.text.matches(of: /\b[A-Za-z]+\.md\b/) {
        #expect(documents.contains(String(match.0)), "\(file.name) cites \(match.0)")
      }
      for match in file.text.matches(of: /(?:<doc:|the article )([A-Z]\w+)/) {
        #expect(documents.contains("\(match.1).md"), "\(file.name) cites the article \(match.1)")
      }
    }
  }
}
