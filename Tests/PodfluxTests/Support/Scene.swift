import Foundation
import ScriptedOrigin
import Synchronization
import TestSupport
import Testing

/// An origin, a library, and the engines that run on it one after the other; deinit removes everything.
final class Scene: Sendable {
  let origin: ScriptedOrigin
  private let folder: TemporaryFolder
  private let engines = Mutex<[PodfluxProcess]>([])
  /// The engines' network; nil for this machine's.
  private let network: NetworkNamespace?

  init(tls: TLSMaterial? = nil, network: NetworkNamespace? = nil) throws {
    self.network = network
    origin = try ScriptedOrigin.start(tls: tls, address: network?.originAddress ?? "127.0.0.1")
    folder = try TemporaryFolder("podflux-scene")
  }

  deinit {
    for engine in engines.withLock({ $0 }) {
      engine.signal(SIGKILL)
      engine.closeInput()
      // No test may have waited after that line.
      if let fault = engine.fault { Issue.record("\(fault)") }
    }
    try? origin.stop()
  }

  /// The library's folder.
  var library: String { folder.path + "/library" }
  /// A folder for files outside the library.
  var outside: String { folder.path }
  /// The log file of all engines.
  var logPath: String { folder.path + "/log" }
  /// The engines' log.
  var log: String { (try? String(contentsOfFile: logPath, encoding: .utf8)) ?? "" }

  /// Starts an engine, and waits until it is ready.
  ///
  /// - Parameter launcher: The words of a launcher that execs the program.
  func start(
    _ arguments: [String] = [], environment: [String: String] = [:], launcher: [String] = []
  ) throws -> PodfluxProcess {
    let links = NetworkNamespace.Link.allCases.flatMap { link in
      network == nil ? [] : ["--interface", "\(link.rawValue)=\(link)"]
    }
    let engine = try PodfluxProcess(
      library: library, arguments: links + arguments, logPath: logPath, environment: environment,
      launcher: (network?.launcher ?? []) + launcher)
    engines.withLock { $0.append(engine) }
    do {
      try engine.waitUntilReady()
    } catch {
      throw PodfluxProcess.Failure("\(error); log: \(log)")
    }
    return engine
  }

  /// Starts an engine without reading its output.
  func startUnheard() throws -> PodfluxProcess {
    let engine = try PodfluxProcess(library: library, logPath: logPath, isListening: false)
    engines.withLock { $0.append(engine) }
    return engine
  }

  /// Starts another command than `run`, and waits for nothing.
  func startUnready(
    _ command: String, _ arguments: [String], environment: [String: String] = [:], launcher: [String] = []
  ) throws -> PodfluxProcess {
    let process = try PodfluxProcess(
      command: [command] + arguments, logPath: logPath, environment: environment, launcher: launcher)
    engines.withLock { $0.append(process) }
    return process
  }

  /// Starts an engine that retries after one second and runs many transfers.
  func startEager(
    _ arguments: [String] = [], settings: [String: Any] = [:], environment: [String: String] = [:]
  ) throws -> PodfluxProcess {
    let engine = try start(arguments, environment: environment)
    let eager: [String: Any] = ["retryFirstSeconds": 1, "maxConcurrent": 16, "maxPerHost": 16]
    try engine.order("settings/update", eager.merging(settings) { $1 })
    return engine
  }

  /// Starts an eager engine, and waits for its cleanup: what a test does to files then, that run does not find.
  func startSettled(settings: [String: Any] = [:]) throws -> PodfluxProcess {
    let engine = try startEager(settings: settings)
    try engine.waitForStartCleanup()
    return engine
  }

  /// Serves a file whose seed is its length.
  @discardableResult
  func serve(_ path: String, length: Int, bytesPerSecond: Int? = nil, seed: UInt64? = nil) -> Resource {
    let resource = Resource(.audio(length: length, seed: seed ?? UInt64(length)), entityTag: .strong("v1"))
    let behaviour = Behaviour.resource(resource)
    origin.serve(path, bytesPerSecond.map(behaviour.limited(toBytesPerSecond:)) ?? behaviour)
    return resource
  }
}

// MARK: - Snapshots beside an engine

extension Scene {
  /// What a running engine answers to a query, and what `podflux snapshot` prints, both of one revision: the engine
  /// commits turns of its own, such as a new day's upkeep, which may fall between the two.
  func snapshots(_ query: String, of engine: PodfluxProcess) throws -> (engine: String, command: String) {
    for _ in 0..<100 {
      try engine.send(line: #"{"type":"snapshot","payload":\#(query)}"#)
      let line = try engine.wait(for: "a snapshot") { $0.contains(#""type":"ok""#) && $0.contains(#""items":"#) }
      let output = try PodfluxCommand.run(["snapshot", "--library", library, query]).output
      let meta = try PodfluxProcess.parse(line)["meta"] as? [String: Any]
      if try engine.revision() == meta?["revision"] as? Int { return (line + "\n", output) }
    }
    throw PodfluxProcess.Failure("the engine commits turns all the time")
  }
}

// MARK: - What lies in the library

extension Scene {
  /// Every file of the library except the engine's own, relative to it, in order.
  func publishedFiles() -> [String] {
    let names = FileManager.default.enumerator(atPath: library)?.compactMap { $0 as? String } ?? []
    return names.filter { !$0.hasPrefix(".podflux") && isFile(library + "/" + $0) }.sorted()
  }

  /// The names of the partial files, in order.
  func partialFiles() -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: library + "/.podflux/partial")) ?? []).sorted()
  }

  /// The path of a download's partial file.
  func partialPath(_ id: String) -> String {
    library + "/.podflux/partial/\(id).part"
  }

  /// The hash of a published file; nil if it is missing.
  func hash(of path: String?) -> String? {
    path.flatMap { FileManager.default.contents(atPath: library + "/" + $0) }
      .map { MessageDigest.digestText(of: $0) }
  }

  /// A published file's modification time, in seconds since 1970.
  func modificationTime(of path: String?) throws -> Int {
    var status = stat()
    guard let path, stat(library + "/" + path, &status) == 0 else {
      throw PodfluxProcess.Failure("no file at \(path ?? "no path")")
    }
    return status.st_mtim.tv_sec
  }

  private func isFile(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
  }
}

extension Body {
  /// The hash of the whole content.
  var hash: String { MessageDigest.text(of: digest()) }
}

/// Waits for a condition without notification, with a limit; checks every 2 ms.
func waitUntil(_ what: String, upTo seconds: Double = 10, _ condition: () throws -> Bool) throws {
  let deadline = Date(timeIntervalSinceNow: seconds)
  while try !condition() {
    guard Date() < deadline else { throw PodfluxProcess.Failure("not within \(seconds) s: \(what)") }
    var pause = timespec(tv_sec: 0, tv_nsec: 2_000_000)
    nanosleep(&pause, nil)
  }
}
