import ArgumentParser
import Foundation
import PodfluxClient
import PodfluxPeople

/// Options that say which library a command is about.
protocol LibraryNaming: ParsableArguments {
  /// - Parameter engine: Where the command's engine is. If an option names it, no library need be known.
  func place(in configuration: ProcessConfiguration, or engine: SocketOption?) throws -> LibraryPlace
}

extension LibraryNaming {
  /// Where the library is. Prints what is wrong with the configuration, and ends the command.
  func place(or engine: SocketOption? = nil) throws -> LibraryPlace { try place(in: .ofProcess(), or: engine) }

  /// Where the library is that a command reads: that of the engine at the socket, if an option names one.
  ///
  /// - Throws: `SocketFailure` if no engine listens there, and no option names a library, or if that is another one;
  ///   `ConnectionFailure` if it takes no client in.
  func place(of engine: SocketOption) throws -> LibraryPlace {
    let place = try place(or: engine)
    guard let socket = try engine.path else { return place }
    let running: RunningEngine
    do throws(SocketFailure) {
      running = try RunningEngine.connect(given: socket, place: place)
    } catch {
      guard place.source == .option, case .noEngine = error else { throw error }
      return place
    }
    // An engine that turns the client away says why.
    let connection = try ClientConnection(running)
    return connection.library.map { LibraryPlace($0) } ?? place
  }
}

/// The library's path.
struct LibraryOption: LibraryNaming {
  @Option(
    help: """
      The library's folder, which what adds to it makes if it is missing; otherwise PODFLUX_LIBRARY, the configuration's library, or \
      ~/Podcasts.
      """,
    completion: .directory)
  var library: String?

  @Option(
    help: """
      The folder of the library's state (database, partial files), if that is on another disk than the library; a library \
      remembers it.
      """,
    completion: .directory)
  var state: String?

  func place(in configuration: ProcessConfiguration, or engine: SocketOption?) throws -> LibraryPlace {
    try LibraryPlace(library: library, state: state, configuration: configuration, or: engine)
  }
}

/// Where a library and its state are.
struct LibraryPlace {
  /// The folder, absolute: clients in other folders are told it, and compare it with what they mean. Empty if the
  /// engine at a socket is meant, whichever library that has, and there is no HOME for the usual one.
  let library: String
  /// Where that is said.
  let source: ProcessConfiguration.Source
  /// Nil for the folder that the library has noted down, or its own.
  let state: String?

  /// - Parameter engine: Where the command's engine is. If an option names it, no library need be known.
  init(library: String?, state: String?, configuration: ProcessConfiguration, or engine: SocketOption? = nil) throws {
    self = try configuration.checked { configuration throws(ConfigurationFault) in
      let isNeeded = engine?.socket == nil
      let folder =
        try isNeeded ? configuration.library(option: library) : configuration.libraryIfKnown(option: library) ?? ""
      return LibraryPlace(
        library: folder, source: configuration.source(of: .library, option: library),
        state: try configuration.path(.state, option: state, of: folder))
    }
  }

  /// A folder that no person has named.
  init(_ folder: String) {
    self.init(library: folder, source: .standard, state: nil)
  }

  private init(library: String, source: ProcessConfiguration.Source, state: String?) {
    (self.library, self.source, self.state) = (library.isEmpty ? library : library.absolutePath, source, state)
  }
}

extension ProcessConfiguration {
  /// What this process finds. Prints what is wrong with it, and ends the command.
  static func ofProcess() throws -> ProcessConfiguration {
    do throws(ConfigurationFault) {
      return try ProcessConfiguration(environment: ProcessInfo.processInfo.environment)
    } catch {
      throw refused(error)
    }
  }

  /// A path that belongs to a library; nil also if it stands beside the name of another one. A state folder or a
  /// journal is not that of each library which a command may name.
  func path(_ key: Key, option: String?, of library: String) throws(ConfigurationFault) -> String? {
    guard let path = try path(key, option: option) else { return nil }
    guard let own = try self.library(beside: source(of: key, option: option)) else { return path }
    return SocketPath.realPath(own) == SocketPath.realPath(library) ? path : nil
  }

  /// Reads values. Prints what is wrong with them, and ends the command.
  func checked<Value>(
    _ body: (ProcessConfiguration) throws(ConfigurationFault) -> Value
  ) throws -> Value {
    do throws(ConfigurationFault) {
      return try body(self)
    } catch {
      throw Self.refused(error)
    }
  }

  private static func refused(_ fault: ConfigurationFault) -> ExitCode {
    StandardError.print("podflux: \(fault)")
    return .wrongUsage
  }
}
