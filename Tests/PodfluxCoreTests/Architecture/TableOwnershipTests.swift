import Foundation
import Testing

@Suite("A store writes the tables of its own domain only")
struct TableOwnershipTests {
  /// The folder of the store that owns each table.
  private static let owners = [
    "downloads": "Downloads", "deletions": "Downloads", "verifications": "Downloads", "formerFiles": "Downloads",
    "cleanup": "Cleanup", "filters": "Filters", "upkeep": "Upkeep", "feeds": "Podcasts", "episodes": "Podcasts",
    "rules": "Rules", "sessions": "Sessions",
  ]
  /// The reading functions, which other stores may call.
  private static let reading: Set = [
    "downloads.find", "downloads.contains", "downloads.claimants", "downloads.holder", "downloads.completedDownloads",
    "downloads.nextAdmissible", "deletions.owedMove", "deletions.names", "upkeep.madeFolders", "episodes.find",
    "episodes.index", "episodes.notes", "feeds.find", "rules.lastEpisode", "rules.newest",
    "rules.place",
  ]

  /// The calls in a domain's folder that write another one's table.
  private func violations(in code: String, of folder: String) -> [String] {
    code.matches(of: /tables\.(\w+)\.(\w+)/).compactMap { match in
      let (table, function) = (String(match.1), String(match.2))
      guard let owner = Self.owners[table], owner != folder, !Self.reading.contains("\(table).\(function)") else {
        return nil
      }
      return "\(folder) calls \(table).\(function)"
    }
  }

  @Test("No folder of the core writes a table of another")
  func sources() throws {
    let files = try SourceFile.all(in: SourceFile.sources()).filter { $0.target == "PodfluxCore" }
    var calls = 0
    for file in files {
      let folder = try #require(file.path.split(separator: "/").dropFirst().first)
      let code = file.code.joined(separator: "\n")
      calls += code.matches(of: /tables\.\w+\.\w+/).count
      #expect(violations(in: code, of: String(folder)) == [], "\(file.path)")
    }
    #expect(calls > 50, "the tables are called otherwise than this test expects")
  }

  @Test("The checker finds a foreign write, and accepts reads and own writes")
  func checker() {
    #expect(violations(in: "try turn.tables.downloads.setNetwork(p, ofPodcast: n)", of: "Settings").count == 1)
    #expect(violations(in: "try turn.tables.formerFiles.insert(f, at: now)", of: "Cleanup").count == 1)
    #expect(violations(in: "try turn.tables.downloads.find(id)", of: "Cleanup").isEmpty)
    #expect(violations(in: "try turn.tables.cleanup.save(run)", of: "Cleanup").isEmpty)
  }
}
