import Foundation
import Testing
import TestScheduling
import TestSupport

@Suite("Answers to mistyped commands", .systemTest)
struct UsageTests {
  @Test(
    "A mistyped command is answered with the most similar one, and ends with 64",
    arguments: [
      (["snapsot"], "podflux snapshot"), (["sanpshot"], "podflux snapshot"),
      (["snap", "--library", "x"], "podflux snapshot"),
      (["gte", "https://example.org/1.mp3"], "podflux get"), (["stauts"], "podflux status"), (["syn"], "podflux sync"),
      (["lst"], "podflux ls"),
      (["rnu"], "podflux run"), (["Run"], "podflux run"), (["help", "replya"], "podflux replay"),
      (["quarantine", "lsit", "--library", "x"], "podflux quarantine list"), (["hepl"], "podflux help"),
    ])
  func suggestion(arguments: [String], expected: String) throws {
    let result = try PodfluxCommand.run(arguments)
    #expect(result.status == 64 && result.output.isEmpty)
    #expect(result.errors.hasSuffix("did you mean \"\(expected)\"?\n"), "\(result.errors)")
    #expect(result.errors.hasPrefix("podflux: there is no ") && result.errors.filter { $0 == "\n" }.count == 1)
  }

  @Test("A command without a similar one is answered with the list of commands")
  func commands() throws {
    let result = try PodfluxCommand.run(["download", "https://example.org/1.mp3"])
    #expect(result.status == 64)
    let expected = """
      podflux: there is no "podflux download"; there are get, add, rules, sync, ls, why, status, pause, resume, retry, \
      verify, rm, mark, import, export, adopt, rename, clean, sessions, settings, watch, completion, run, daemon, attach, snapshot, replay, diff, \
      quarantine, help, and \
      "podflux help" says more

      """
    #expect(result.errors == expected)
    let nested = try PodfluxCommand.run(["quarantine", "everything"])
    #expect(nested.errors.contains("there are list, restore, empty, and \"podflux help quarantine\" says more"))
    // It contains no terminal control sequence.
    #expect(try PodfluxCommand.run(["\u{1B}[31m"]).errors.contains("\u{1B}") == false)
  }

  @Test(
    "help is an answer, not a mistake",
    arguments: [["help"], ["--help"], ["help", "run"], ["help", "quarantine", "list"]])
  func help(arguments: [String]) throws {
    let result = try PodfluxCommand.run(arguments)
    #expect(result.status == 0 && result.errors.isEmpty)
    #expect(result.output.contains("USAGE: podflux"))
  }

  @Test(
    "An invalid query is answered with its position as typed, and a correct example",
    arguments: [
      ("nonsense", "podflux: character 1 of the query stands where JSON needs true, false or null"),
      ("{stores:[cleanup]}", "character 2 of the query stands where JSON needs "),
      (#"{"é":}"#, "character 6 of the query stands where JSON needs a value"),
      (#"{"stores":["#, "the query ends where JSON needs "), ("[]", "the query is an array"),
      ("", "the query is empty"), ("{} x", "character 4 of the query stands where JSON needs the end of the query"),
      (#"{"stores":["fly"]}"#, "stores[0] must be one of "), (#"{"fly":1}"#, "fly"),
      (#"{"downloads":{"limit":0}}"#, "downloads.limit must be "),
    ])
  func query(argument: String, expected: String) throws {
    for command in [["snapshot", "--library", "/nowhere"], ["replay", "--journal", "/nowhere"]] {
      let result = try PodfluxCommand.run(command + [argument])
      #expect(result.status == 64 && result.output.isEmpty)
      #expect(result.errors.contains(expected), "\(result.errors)")
      #expect(!result.errors.contains("payload") && result.errors.filter { $0 == "\n" }.count == 1, "\(result.errors)")
      #expect(result.errors.contains(#"'{"stores":["downloads"],"downloads":{"where":{"state":"failed"}}}'"#))
    }
  }

  @Test("A folder that is no library gives one clear sentence, and stays unchanged")
  func noLibrary() throws {
    let scene = try Scene()
    let empty = scene.outside + "/music"
    try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: true)
    for path in [empty, scene.library] {
      for command in [["snapshot"], ["quarantine", "list"]] {
        let result = try PodfluxCommand.run(command + ["--library", path])
        #expect(result.status == 65 && result.output.isEmpty)
        let expected = "podflux: \"\(path)\" is no library of Podflux; podflux add and podflux get make one there"
        #expect(result.errors.hasPrefix(expected) && result.errors.filter { $0 == "\n" }.count == 1, "\(result.errors)")
      }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: empty).isEmpty)
    #expect(!FileManager.default.fileExists(atPath: scene.library))
  }
}
