import ArgumentParser
import CLinux
import CSQLite
import Dispatch
import Foundation
import Logging
import PodfluxCore
import PodfluxEngine

/// `podflux run`: the engine, driven by lines.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Runs the engine: actions and queries on stdin, replies and state on stdout, logs on stderr.")

  @OptionGroup var folder: LibraryOption

  @Option(help: "What to do when stdin ends: go on until nothing can move any more (drain), or stop (exit).")
  var onEof = EndOfInput.drain

  @Option(help: "A PEM file of certificate authorities to trust beside the system's.")
  var caFile: String?

  @Option(help: "A file to write every committed action to, for `podflux replay`. It must not lie in the library.")
  var journal: String?

  @Option(help: "How many bytes of the journal fill a file; four full ones are kept beside it.")
  var journalBytes = JournalConfiguration.defaultBytes

  @Option(help: "What the path to the network is: found out (auto), or fixed as wifi, cellular or offline.")
  var network = NetworkChoice.auto

  @Option(
    name: .customLong("interface"),
    help: "What kind a device is where the kernel does not say, such as wlan9=cellular; can be given several times.")
  var interfaces: [DeviceKind] = []

  @Option(help: "A device whose bytes cost money, such as usb0; can be given several times.")
  var metered: [String] = []

  @Option(help: "How much to log: trace, debug, info, notice, warning, error or critical.")
  var logLevel = Logger.Level.warning

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
    // Before there are other threads.
    let heldSignals = Podflux.signals ?? HeldSignals()
    let notifier = Notifier.takeFromEnvironment()
    // A file that may not grow is an error of the write that wanted it to, and not the process's end.
    signal(SIGXFSZ, SIG_IGN)
    // SQLite's connections share memory over the file podflux.sqlite-shm. A file system that writes nothing in place, such as
    // btrfs, needs room for each change of it, and the kernel sends SIGBUS where the disk or the user's quota has none.
    linux_end_on_bus_error()
    allowManyFiles()
    keepFreedMemory()
    easeAllocationInSQLite()
    let output = try OutputWriter(takingOver: .standardOutput)
    var logger = Logger(label: "podflux") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = logLevel
    let signals = SignalWatch(heldSignals, logger: logger)
    let session = Session(output: output, libraryPath: folder.library, notifier: notifier)
    let engine: Engine
    do {
      engine = try Engine(
        EngineConfiguration(
          libraryPath: folder.library, statePath: folder.state, certificateAuthorityFile: caFile,
          journal: journal.map { JournalConfiguration(path: $0, maximumBytes: journalBytes) },
          reportedPath: network.path,
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
      StandardError.printSoon(RunNotes(library: folder.library).waiting(atEndOfInput: onEof))
    }
    LineReader(session: session, engine: engine, atEnd: onEof.stopMode).start()
    session.waitUntilClosed()
    notifier?.stopping()
    output.finish { signals.isStopping }
    StandardError.finish()
    if engine.hasGivenUp { throw ExitCode.failure }
  }
}

/// Each transfer has a socket and a file: the usual soft limit of 1,024 descriptors is raised as far as is allowed.
private func allowManyFiles() {
  var limit = rlimit()
  guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
  limit.rlim_cur = limit.rlim_max
  // Where it is refused the engine works with what it has.
  _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}

/// Has malloc keep some MiB of what was freed. Each transfer takes a buffer of some 100 KiB and frees it again; by default
/// glibc gives such memory back to the kernel at once, and page by page it has to be asked for again: 30 page faults for
/// each small file.
///
/// In few heaps: by default there are eight for each core, which in time are all in use, and each keeps gaps. After 50,000
/// downloads with 16 at once on 2 cores, 92 MiB were resident with those sixteen and 72 with four; with two, threads wait
/// for each other.
private func keepFreedMemory() {
  linux_keep_freed_memory(4 << 20, 8 << 20, 4)
}

/// Has SQLite's connections take small objects from memory of their own, 600 KiB each, and count nothing: a row that is
/// inserted opens a cursor for each index, and each of them is allocated, under a mutex for the count. By default the
/// statements that are kept have taken all there is set aside. 100,000 downloads are enqueued in 13 % less time so, 10 %
/// of it for the count.
private func easeAllocationInSQLite() {
  // Where they are refused, SQLite works as it always does.
  _ = sqlite_process_count_memory(0)
  _ = sqlite_process_set_lookaside(1200, 500)
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
