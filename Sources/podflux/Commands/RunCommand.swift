import ArgumentParser
import CLinux
import CSQLite
import Dispatch
import Foundation
import Logging
import PodfluxCore
import PodfluxEngine
import PodfluxPeople

/// `podflux run`: runs the engine, which a client controls with lines.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Runs the engine: actions and queries on stdin, replies and state on stdout, logs on stderr.")

  @OptionGroup var folder: LibraryOption

  @Option(help: "What to do when stdin ends: finish what can be finished (drain), or stop at once (exit).")
  var onEof = EndOfInput.drain

  @Option(help: "A PEM file of certificate authorities to trust beside the system's.")
  var caFile: String?

  @Option(help: "A file to write every committed action to, for `podflux replay`. It must not lie in the library.")
  var journal: String?

  @Option(help: "How many bytes of the journal fill a file; four full ones are kept beside it.")
  var journalBytes = JournalConfiguration.defaultBytes

  @Option(help: "The path to the network: detected (auto), or fixed as wifi, cellular or offline; auto unless configured.")
  var network: NetworkChoice?

  @Option(
    name: .customLong("interface"),
    help: "The kind of a device where the kernel does not say it, such as wlan9=cellular; can be repeated.")
  var interfaces: [DeviceKind] = []

  @Option(help: "A device whose bytes cost money, such as usb0; can be repeated.")
  var metered: [String] = []

  @Option(
    help: "How much to log: trace, debug, info, notice, warning, error or critical; warning unless it is configured.")
  var logLevel: Logger.Level?

  enum EndOfInput: String, ExpressibleByArgument, CaseIterable {
    case drain, exit

    var stopMode: StopMode { self == .drain ? .drain : .now }
  }

  func validate() throws {
    let sizes = JournalConfiguration.sizes
    guard sizes.contains(journalBytes) else {
      throw ValidationError("--journal-bytes takes \(sizes.lowerBound) to \(sizes.upperBound)")
    }
    if let name = metered.first(where: { !NetworkPath.isDeviceName($0) }) {
      throw ValidationError("--metered takes a device's name such as usb0, and \"\(name)\" cannot be one")
    }
  }

  func run() throws {
    let configuration = try ProcessConfiguration.ofProcess()
    let place = try LibraryPlace(library: folder.library, state: folder.state, configuration: configuration)
    let start = try EngineStart(
      caFile: caFile, journal: journal, network: network, logLevel: logLevel, configuration: configuration)
    // Before other threads exist.
    let heldSignals = Podflux.signals ?? HeldSignals()
    let notifier = Notifier.takeFromEnvironment()
    // A write beyond the file size limit must return an error instead of ending the process.
    signal(SIGXFSZ, SIG_IGN)
    // SQLite's connections share memory over the file podflux.sqlite-shm. A copy-on-write file system such as btrfs
    // needs space for each change of it, and the kernel sends SIGBUS if the disk is full or the user's quota is
    // exceeded.
    linux_end_on_bus_error()
    allowManyFiles()
    keepFreedMemory()
    easeAllocationInSQLite()
    let output = try OutputWriter(takingOver: .standardOutput)
    var logger = Logger(label: "podflux") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = start.logLevel
    let signals = SignalWatch(heldSignals, logger: logger)
    let session = Session(output: output, libraryPath: place.library, notifier: notifier)
    let engine: Engine
    do {
      engine = try Engine(
        EngineConfiguration(
          libraryPath: place.library, statePath: place.state, certificateAuthorityFile: start.caFile,
          journal: start.journal.map { JournalConfiguration(path: $0, maximumBytes: journalBytes) },
          reportedPath: start.network.path,
          links: LinkOverrides(
            interfaces: Dictionary(interfaces.map { ($0.device, $0.interface) }) { $1 }, metered: Set(metered)),
          logger: logger),
        client: session)
    } catch let error as EngineError {
      throw giveUp(error)
    }
    output.onRoom { engine.clientHasRoom() }
    output.onClosed { engine.stop(.now, because: .shutdown) }
    signals.attach(engine)
    notifier?.startWatchdog { engine.isAlive($0) }
    if isatty(STDIN_FILENO) == 1 {
      StandardError.printSoon(RunNotes(library: place.library).waiting(atEndOfInput: onEof))
    }
    LineReader(session: session, engine: engine, atEnd: onEof.stopMode).start()
    session.waitUntilClosed()
    notifier?.stopping()
    output.finish { signals.isStopping }
    StandardError.finish()
    if engine.hasGivenUp { throw ExitCode.failure }
  }
}

/// Each transfer needs a socket and a file: raises the usual soft limit of 1,024 descriptors as far as allowed.
private func allowManyFiles() {
  var limit = rlimit()
  guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
  limit.rlim_cur = limit.rlim_max
  // If the system refuses, the engine works with the limit it has.
  _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}

/// Makes malloc keep some MiB of freed memory. Each transfer allocates a buffer of some 100 KiB and frees it; by
/// default glibc returns such memory to the kernel at once, and the next one costs page faults: 30 for each small file.
///
/// Uses few heaps: the default of eight per core fills over time, and each has gaps. After 50,000 downloads with 16 at
/// once on 2 cores, 92 MiB were resident with those sixteen and 72 with four; with two, threads wait for each other.
private func keepFreedMemory() {
  linux_keep_freed_memory(4 << 20, 8 << 20, 4)
}

/// Gives each SQLite connection its own lookaside memory, 600 KiB, and switches memory statistics off: inserting a row
/// opens a cursor for each index, each with an allocation, under a mutex for the statistics. With the defaults the
/// cached statements use up the lookaside memory. Enqueueing 100,000 downloads takes 13 % less time this way, 10 % of
/// it by the statistics.
private func easeAllocationInSQLite() {
  // If refused, SQLite works with its defaults.
  _ = sqlite_process_count_memory(0)
  _ = sqlite_process_set_lookaside(1200, 500)
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
