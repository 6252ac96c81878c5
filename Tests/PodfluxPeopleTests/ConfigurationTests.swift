import Foundation
import PodfluxPeople
import TestSupport
import Testing

@Suite("Configuration")
struct ConfigurationTests {
  private enum Network: String, CaseIterable {
    case auto, wifi
  }

  private let home = ["HOME": "/home/ann"]

  @Test("An option is before the environment, that before the file, and that before the default")
  func order() throws {
    let file = try ConfigurationFile("library: /from/file\nnetwork: wifi\n", path: "c.yaml")
    let variable = ["PODFLUX_LIBRARY": "/from/variable"].merging(home) { $1 }
    #expect(try ProcessConfiguration(environment: variable, file: file).library(option: "here") == "here")
    #expect(try ProcessConfiguration(environment: variable, file: file).library(option: nil) == "/from/variable")
    #expect(try ProcessConfiguration(environment: home, file: file).library(option: nil) == "/from/file")
    #expect(try ProcessConfiguration(environment: home, file: nil).library(option: nil) == "/home/ann/Podcasts")
    #expect(try ProcessConfiguration(environment: home, file: file).choice(.network, option: Network?.none) == .wifi)
    // An empty variable says nothing.
    let empty = ["PODFLUX_LIBRARY": ""].merging(home) { $1 }
    #expect(try ProcessConfiguration(environment: empty, file: file).library(option: nil) == "/from/file")
  }

  @Test(
    "A mistake is one sentence that names the file and the key",
    arguments: [
      ("libary: /x", "c.yaml: there is no key \"libary\"; known are ca-file, credentials-key, journal, library"),
      ("library: [/x]", "c.yaml: \"library\" must be a text"), ("library: 7", "c.yaml: \"library\" must be a text"),
      ("state: true", "c.yaml: \"state\" must be a text"), ("socket:", "c.yaml: \"socket\" must be a text"),
      ("- library", "c.yaml: it must have lines such as"), ("library: \"x", "c.yaml: it is no YAML: line "),
      ("library: /a\nlibrary: /b", "c.yaml: it is no YAML: the key \"library\" occurs twice"),
    ])
  func mistakes(text: String, beginning: String) {
    #expect {
      try ConfigurationFile(text, path: "c.yaml")
    } throws: { error in
      "\(error)".hasPrefix(beginning) && !"\(error)".contains("\n")
    }
  }

  @Test("A file of comments says nothing; a path in a file begins with / or ~/, a choice is one of its names")
  func values() throws {
    #expect(try ConfigurationFile("# nothing\n", path: "c.yaml")[.library] == nil)
    let file = try ConfigurationFile("library: ~/Music\nstate: state\nnetwork: carrier\n", path: "c.yaml")
    let configuration = ProcessConfiguration(environment: home, file: file)
    #expect(try configuration.library(option: nil) == "/home/ann/Music")
    #expect(throws: ConfigurationFault("c.yaml: state", "the path must begin with / or ~/")) {
      try configuration.path(.state, option: nil)
    }
    #expect(throws: ConfigurationFault("c.yaml: network", "\"carrier\" must be one of auto, wifi")) {
      try configuration.choice(.network, option: Network?.none)
    }
    #expect(throws: ConfigurationFault.self) {
      try ProcessConfiguration(environment: [:], file: nil).library(option: nil)
    }
  }

  @Test("The library beside a value is the one that is named where that stands, or farther from the command")
  func libraryBeside() throws {
    let file = try ConfigurationFile("library: /from/file\n", path: "c.yaml")
    let variable = ["PODFLUX_LIBRARY": "/from/variable"].merging(home) { $1 }
    let configuration = ProcessConfiguration(environment: variable, file: file)
    #expect(try configuration.library(beside: .environment) == "/from/variable")
    #expect(try configuration.library(beside: .file) == "/from/file")
    #expect(try configuration.library(beside: .option) == nil)
    #expect(try ProcessConfiguration(environment: home, file: file).library(beside: .environment) == "/from/file")
    #expect(try ProcessConfiguration(environment: home, file: nil).library(beside: .environment) == nil)
  }

  @Test("A person's own file is before the machine's, and a missing one is none")
  func files() throws {
    #expect(
      ProcessConfiguration.files(in: ["HOME": "/h", "XDG_CONFIG_HOME": "/x"])
        == ["/x/podflux/config.yaml", "/etc/podflux/config.yaml"])
    #expect(
      ProcessConfiguration.files(in: ["HOME": "/h", "XDG_CONFIG_HOME": "x"])[0] == "/h/.config/podflux/config.yaml")
    let folder = try TemporaryFolder("podflux-configuration")
    #expect(try ConfigurationFile.read(at: folder.path + "/config.yaml") == nil)
    try Data("library: /srv\n".utf8).write(to: URL(fileURLWithPath: folder.path + "/config.yaml"))
    #expect(try ConfigurationFile.read(at: folder.path + "/config.yaml")?[.library] == "/srv")
    try Data(repeating: 0x20, count: 65 << 10).write(to: URL(fileURLWithPath: folder.path + "/config.yaml"))
    #expect(throws: ConfigurationFault.self) { try ConfigurationFile.read(at: folder.path + "/config.yaml") }
  }

  @Test("A file that cannot be read: the message has the system's reason, and what to do under another user's HOME")
  func unreadable() throws {
    let folder = try TemporaryFolder("podflux-configuration")
    let path = folder.path + "/podflux/config.yaml"
    // Root can read all files, but no folder.
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let fault = ConfigurationFault(
      path, "it cannot be read: Is a directory; set HOME or XDG_CONFIG_HOME to your own folder")
    #expect(throws: fault) { try ProcessConfiguration(environment: ["XDG_CONFIG_HOME": folder.path]) }
  }
}
