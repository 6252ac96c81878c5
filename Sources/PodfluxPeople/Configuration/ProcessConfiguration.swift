import Foundation

/// Where the values come from that a process needs before a library is open: option, environment, file, default.
package struct ProcessConfiguration: Sendable {
  package typealias Key = ConfigurationFile.Key

  /// Where a value comes from.
  package enum Source: Hashable, Sendable {
    case standard, file, environment, option
  }

  /// A value, and where it comes from.
  package struct Value: Hashable, Sendable {
    package let text: String
    /// For messages: an option, a variable, or a file and its key.
    package let place: String
    package let source: Source
  }

  private let environment: [String: String]
  private let file: ConfigurationFile?

  /// - Parameter file: The file that is read; `files(in:)` names the candidates.
  package init(environment: [String: String], file: ConfigurationFile?) {
    self.environment = environment
    self.file = file
  }

  /// Reads the first file that is there: a person's own, then the machine's.
  package init(environment: [String: String]) throws(ConfigurationFault) {
    var found: ConfigurationFile?
    for path in Self.files(in: environment) where found == nil {
      let remedy = path == Self.machineFile ? nil : "set HOME or XDG_CONFIG_HOME to your own folder"
      found = try ConfigurationFile.read(at: path, remedy: remedy)
    }
    self.init(environment: environment, file: found)
  }

  /// The files that are looked for, in order. The variable is believed if it is an absolute path (XDG Base Directory
  /// Specification).
  package static func files(in environment: [String: String]) -> [String] {
    let named = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    let own = named ?? environment["HOME"].map { $0 + "/.config" }
    return [own].compactMap { $0.map { $0 + "/podflux/config.yaml" } } + [machineFile]
  }

  private static let machineFile = "/etc/podflux/config.yaml"

  /// The value of a key, unless an option has it; nil if nothing names it.
  package func value(_ key: Key, option: String?) -> Value? {
    if let option { return Value(text: option, place: "--\(key.rawValue)", source: .option) }
    let variable = Self.variable(key)
    if let text = environment[variable], !text.isEmpty {
      return Value(text: text, place: variable, source: .environment)
    }
    guard let file, let text = file[key] else { return nil }
    return Value(text: text, place: "\(file.path): \(key.rawValue)", source: .file)
  }

  /// A path. In an option or a variable it is relative to the working directory, where the shell has replaced `~`; in a
  /// file it must be absolute or begin with `~/`.
  package func path(_ key: Key, option: String?) throws(ConfigurationFault) -> String? {
    guard let value = value(key, option: option) else { return nil }
    // As a folder it would be the working directory: most often a variable of a script is not set.
    guard !value.text.isEmpty else { throw ConfigurationFault(value.place, "the path is empty; name one") }
    if value.text.hasPrefix("/") { return value.text }
    if value.source != .file {
      guard String.workingDirectory != nil else {
        throw ConfigurationFault(value.place, "the working directory is gone; give an absolute path")
      }
      return value.text
    }
    guard value.text.hasPrefix("~/"), let home = environment["HOME"] else {
      throw ConfigurationFault(value.place, "the path must begin with / or ~/")
    }
    return home + value.text.dropFirst()
  }

  /// Where the value of a key comes from.
  package func source(of key: Key, option: String?) -> Source { value(key, option: option)?.source ?? .standard }

  /// The library's folder.
  package func library(option: String?) throws(ConfigurationFault) -> String {
    if let path = try libraryIfKnown(option: option) { return path }
    throw ConfigurationFault("--library", "there is no HOME for the usual folder; name one")
  }

  /// The library's folder; nil if nothing names one, and there is no HOME for the usual one.
  package func libraryIfKnown(option: String?) throws(ConfigurationFault) -> String? {
    if let path = try path(.library, option: option) { return path }
    guard let home = environment["HOME"], !home.isEmpty else { return nil }
    return home + "/Podcasts"
  }

  /// The library that is named where another value comes from, or farther from the command; nil if none is, and for
  /// what the command itself says.
  package func library(beside source: Source) throws(ConfigurationFault) -> String? {
    switch source {
    case .option, .standard: return nil
    case .environment: return try path(.library, option: nil)
    case .file:
      let others = environment.filter { $0.key != Self.variable(.library) }
      return try ProcessConfiguration(environment: others, file: file).path(.library, option: nil)
    }
  }

  /// A choice among names; nil if nothing names it.
  package func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ key: Key, option: Choice?
  ) throws(ConfigurationFault) -> Choice? {
    if let option { return option }
    guard let value = value(key, option: nil) else { return nil }
    guard let choice = Choice(rawValue: value.text) else {
      let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw ConfigurationFault(value.place, "\"\(value.text)\" must be one of \(names)")
    }
    return choice
  }

  private static func variable(_ key: Key) -> String {
    "PODFLUX_" + key.rawValue.uppercased().replacing("-", with: "_")
  }
}
