import ArgumentParser
import PodfluxCore
import Testing

@testable import podflux

@Suite("The options of rules")
struct RuleOptionsTests {
  private func rules(_ arguments: [String], changing rules: FeedRules = .init()) throws -> FeedRules {
    try RuleOptions.parse(arguments).applied(to: rules)
  }

  @Test("The newest, new ones and all come newest first unless --oldest-first is said with them")
  func order() throws {
    let serial = try rules(["--newest", "3", "--oldest-first"])
    #expect(serial.autoDownload?.order == .oldest)
    for arguments in [["--newest", "3"], ["--all"], ["--new"]] {
      #expect(try rules(arguments, changing: serial).autoDownload?.order == .newest, "\(arguments)")
    }
    #expect(try rules(["--all", "--oldest-first"], changing: serial).autoDownload?.order == .oldest)
  }

  @Test("A playing time has a unit")
  func playingTimes() throws {
    #expect(throws: (any Error).self) { try RuleOptions.parse(["--min", "10"]) }
    #expect(try RuleOptions.parse(["--min", "10m", "--max", "1h30m"]).min?.seconds == 600)
  }

  @Test("Options that say nothing of the order leave it")
  func keptOrder() throws {
    let serial = try rules(["--all", "--oldest-first"])
    #expect(try rules(["--match", "Night"], changing: serial).autoDownload?.order == .oldest)
    #expect(try rules(["--oldest-first"], changing: rules(["--all"])).autoDownload?.order == .oldest)
  }
}
