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
    #expect(try RuleOptions.parse(["--min", "10m", "--max", "1h30m"]).min?.seconds == 600)
    #expect(try refusal(["--min", "10"]).contains("a unit is missing: 10m are minutes, and 10s are seconds"))
    for text in ["-5m", "", "m", "1h-5m", "99999h", "9999999999"] {
      #expect(try refusal(["--max", text]).contains("such as 1h30m or 90s; at most 31 days"), "\(text)")
    }
  }

  /// A tester read of `--keep -3` that the option had no value.
  @Test("A number that an option does not take is told its range, one below zero too")
  func ranges() throws {
    for (name, range) in [("--keep", "1 to "), ("--keep-days", "1 to "), ("--newest", "0 to ")] {
      let words = try refusal([name, "-3"])
      #expect(words.contains("\(name) takes a number from \(range)"), "\(words)")
    }
    #expect(try refusal(["--keep", "0"]) == refusal(["--keep", "-3"]))
    #expect(try refusal(["--keep"]).contains("Missing value for '--keep <keep>'"))
  }

  /// What a person is told of options that are refused.
  private func refusal(_ arguments: [String]) throws -> String {
    let error = #expect(throws: (any Error).self) { try RuleOptions.parse(arguments) }
    return RuleOptions.message(for: try #require(error))
  }

  @Test("Options that say nothing of the order leave it")
  func keptOrder() throws {
    let serial = try rules(["--all", "--oldest-first"])
    #expect(try rules(["--match", "Night"], changing: serial).autoDownload?.order == .oldest)
    #expect(try rules(["--oldest-first"], changing: rules(["--all"])).autoDownload?.order == .oldest)
  }
}
