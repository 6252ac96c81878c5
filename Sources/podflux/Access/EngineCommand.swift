import ArgumentParser
import Foundation
import PodfluxClient
import PodfluxCore
import PodfluxEngine
import PodfluxPeople
import Terminal
import WireProtocol

/// A command that changes something: through the engine that runs, or one of its own.
protocol EngineCommand: ParsableCommand {
  associatedtype Folder: LibraryNaming
  var folder: Folder { get }
  var engine: SocketOption { get }
  var console: ConsoleOptions { get }
  /// What an own engine's cleanup at its start is to the command.
  static var startCleanup: StartCleanup { get }
  /// For what it waits: the rest an own engine begins later.
  var awaits: AwaitedRequests { get }
  /// Whether an own engine deletes what rules owed before: a command that is asked for something else does not.
  var deletesOwed: Bool { get }
  var missingLibrary: MissingLibrary { get }
  /// The sentence for a person who has interrupted the command.
  static var afterInterruption: String { get }
}

/// The comparison of rows and files with which an engine begins: it may forget the very downloads that a command names.
enum StartCleanup {
  /// The comparison goes on beside the command.
  case beside
  /// The command waits for the comparison, for some seconds at most.
  case awaited
  /// There is none: the command compares by itself, or only looks.
  case none
}

/// What a command waits for of what asks servers. An engine of its own begins with the rest when most commands have
/// ended, which would only break it off.
enum AwaitedRequests {
  case none
  /// The decisions of rules.
  case decisions
  /// Refreshes, or work on files. No download begins as long as it runs.
  case refreshes
  case all

  /// After what time an own engine begins with what the command does not wait for.
  private static let delay = Duration.seconds(3)
  /// After what time beside decisions, which can take that long. It begins all the same: a person may leave a question
  /// without an answer, and other commands wait for downloads of this engine.
  private static let longDelay = Duration.seconds(20)

  var delays: RequestDelays {
    switch self {
    case .none: RequestDelays(downloads: Self.delay, refreshes: Self.delay)
    case .decisions: RequestDelays(downloads: Self.longDelay, refreshes: Self.longDelay)
    case .refreshes, .all: RequestDelays()
    }
  }
}

extension EngineCommand {
  static var startCleanup: StartCleanup { .beside }
  var awaits: AwaitedRequests { .none }
  var deletesOwed: Bool { false }
  var missingLibrary: MissingLibrary { .refused }
  static var afterInterruption: String { "everything is kept, and podflux sync goes on with it" }

  /// Runs the command's work with an engine, and ends an own one afterwards. The work begins again if another command's
  /// engine ends meanwhile: all that it has ordered may be ordered twice.
  ///
  /// - Throws: the exit status, after lines on stderr that say why.
  func withEngine(_ work: (EngineAccess, Console) throws -> Void) throws {
    let configuration = try ProcessConfiguration.ofProcess()
    var start = try EngineStart(place: folder.place(in: configuration, or: engine), configuration: configuration)
    start.cleansOnStart = Self.startCleanup != .none
    (start.startsDownloads, start.requestDelays) = (awaits != .refreshes, awaits.delays)
    (start.deletesOwed, start.missingLibrary) = (deletesOwed, missingLibrary)
    let socket = try engine.path(in: configuration)
    let signals = try CommandSignals()
    let console = Console(console, output: try ResultStream.takingOver(), interruption: signals.descriptor)
    do {
      try console.reporting {
        let access = try EngineAccess(start, socket: socket, signals: signals)
        access.onLongWait = { work in console.note("waiting for \(work.words)") }
        let result = Result {
          try access.outliving {
            if Self.startCleanup == .awaited { try access.awaitStartCleanup() }
            try work(access, console)
          }
        }
        try access.close()
        do {
          try result.get()
        } catch let refusal as EngineRefusal where refusal.is(.storageFailure) && access.isDiskFull(start.place) {
          console.complain("the disk of the library is full, and its database cannot record anything: make some room")
          throw refusal
        }
      }
    } catch let status as ExitCode {
      guard status == .interrupted || signals.areStopping else { throw status }
      // What has refused to begin without an answer has said that it has done nothing.
      if status != .wrongUsage { console.note("interrupted; \(Self.afterInterruption)") }
      throw ExitCode.interrupted
    }
  }
}

extension OwnEngine.Work {
  fileprivate var words: String {
    switch self {
    case .files: "files that are being deleted or moved, or a server that is asked for a token"
    case .sidecars: "covers, chapters, transcripts or notes that are being fetched; ^C leaves them to the next sync"
    }
  }
}

/// The process's stdout, for results alone.
enum ResultStream {
  /// Keeps stdout for results, and lets all else that is written to it go to stderr: Foundation can print there.
  static func takingOver() throws -> TerminalDevice {
    signal(SIGPIPE, SIG_IGN)
    let descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
    guard descriptor >= 0, dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
    return TerminalDevice(descriptor: descriptor)
  }
}

extension EngineAccess {
  /// How long the cleanup of an own engine's start is waited for, and the time between two looks at it, in
  /// milliseconds. A large library on a slow disk takes longer.
  private static let (cleanupPatience, cleanupMilliseconds) = (5000, 50)

  /// Waits until an own engine has compared rows and files.
  func awaitStartCleanup() throws {
    guard isOwn else { return }
    let end = DispatchTime.now() + .milliseconds(Self.cleanupPatience)
    while DispatchTime.now() < end {
      let run = try cleanup()?.object("run")
      guard let run, try run.moment("endedAt") == nil else { return }
      if signals.comes(withinMilliseconds: Self.cleanupMilliseconds) { throw ConnectionFailure.interrupted }
    }
  }

  /// Whether the disk of the library's state, where that is known, has no room for a few records.
  fileprivate func isDiskFull(_ place: LibraryPlace) -> Bool {
    var disk = statvfs()
    guard statvfs(place.state ?? library, &disk) == 0 else { return false }
    return UInt64(disk.f_bavail) * UInt64(disk.f_frsize) < 1 << 20
  }

  /// The runs of the cleanup, as the engine shows them, without their steps but one.
  func cleanup() throws -> JSONObject? {
    try connection.snapshot(SnapshotQuery(stores: [.cleanup], stepsPage: .init(limit: 1))).json.object("cleanup")
  }

  /// Asks for one thing.
  ///
  /// - Throws: `EngineRefusal` or `ConnectionFailure`.
  @discardableResult
  func order(_ intent: Intent) throws -> JSONObject {
    try connection.ask(.intent(intent)).get()
  }

  /// How many things an action has concerned.
  func affected(by intent: Intent) throws -> Int64 {
    try order(intent).required("affected", JSONObject.integer)
  }

  /// How many downloads an intent has concerned, which is ordered in pieces if they are more than a request has room
  /// for.
  func affected(by intent: (DownloadIntent.Selection) -> DownloadIntent, on chosen: DownloadIntent.Selection) throws
    -> Int64
  {
    guard case .many(let ids) = chosen else { return try affected(by: .downloads(intent(chosen))) }
    var count: Int64 = 0
    try Self.inPieces(ids) { count += try affected(by: .downloads(intent($0))) }
    return count
  }

  /// Does something with downloads in pieces that a request has room for.
  static func inPieces(_ ids: [DownloadID], _ body: (DownloadIntent.Selection) throws -> Void) rethrows {
    let most = DownloadIntent.Selection.maximumIDs
    for some in ids.inParts(of: most) { try body(.many(some)) }
  }

  /// Follows downloads until none of them moves any more, and shows how they get on.
  ///
  /// - Parameter onSettled: Called with each download that moves no more.
  func follow(
    _ follower: inout DownloadFollower, on view: inout ProgressView,
    onSettled: (DownloadFollower.Settled) -> Void
  ) throws {
    defer { view.finish() }
    while !follower.isOver {
      do {
        try observe(&follower, on: &view, onSettled: onSettled)
      } catch ConnectionFailure.ended where !signals.areStopping {
        // Another command's own engine has ended: this command goes on with one of its own.
        try reopen()
        follower.beginAnew()
      }
    }
  }

  static let frameMilliseconds = 200
  /// How long downloads may wait for logins of which none is being opened, for room, and for moments that are far away.
  private static let helplessMilliseconds = 5000
  /// How long what runs may tell nothing before the engine is asked whether it can commit.
  private static let silentMilliseconds = 10_000

  /// Has the engine tell what becomes of downloads from now on. What it tells before a follower listens is kept for
  /// that.
  func observeDownloads() throws {
    _ = try connection.ask(.query(.observe(DownloadFollower.observation))).get()
  }

  private func observe(
    _ follower: inout DownloadFollower, on view: inout ProgressView,
    onSettled: (DownloadFollower.Settled) -> Void
  ) throws {
    try observeDownloads()
    var (idle, silent) = (0, 0)
    while true {
      let before = eventCount
      var settled = try frame(of: &follower)
      silent = follower.areRunning && eventCount == before ? silent + Self.frameMilliseconds : 0
      if silent >= Self.silentMilliseconds {
        silent = 0
        try checkThatEngineCommits()
      }
      let clock = view.console.clock
      idle = follower.needsHelp(at: clock.now) ? idle + Self.frameMilliseconds : 0
      if idle >= Self.helplessMilliseconds {
        let isComing = try follower.waitsForLogins && isLoginUnderWay()
        if try isComing || !follower.unlistedNeedHelp(at: clock.now, in: connection) {
          idle = 0
        } else {
          settled += follower.giveUp(by: clock)
        }
      }
      if !settled.isEmpty { view.makeRoom() }
      settled.forEach(onSettled)
      view.show(follower, settled: settled)
      if follower.isOver { break }
    }
    try unobserve()
  }

  /// Asks for something that concerns no download, and is committed all the same. What ends while the disk is full
  /// seems to run for ever: an engine that cannot record its end tells nothing of it.
  ///
  /// - Throws: `EngineRefusal` if the engine cannot write the library's database.
  private func checkThatEngineCommits() throws {
    let nothing = Condition.all([.states([.running]), .not(.states([.running]))])
    do {
      try order(.downloads(.verify(.matching(nothing))))
    } catch let refusal as EngineRefusal where refusal.code != Refusal.Code.storageFailure.rawValue {
      // An engine that ends, or is suspended, tells that by itself.
    }
  }

  /// Takes in what the engine tells in a frame's time.
  func frame(of follower: inout DownloadFollower) throws -> [DownloadFollower.Settled] {
    let end = DispatchTime.now() + .milliseconds(Self.frameMilliseconds)
    var settled: [DownloadFollower.Settled] = []
    do {
      while let event = try connection.nextEvent(upTo: end) {
        eventCount += 1
        settled += try follower.apply(event)
      }
    } catch ConnectionFailure.ended where !settled.isEmpty {
      // The events before the engine's end are returned first.
      return settled
    }
    return follower.needsLook ? settled + (try follower.look(at: connection)) : settled
  }

  /// Whether a session is being opened, or is about to be: without a network none is.
  func isLoginUnderWay() throws -> Bool {
    let snapshot = try connection.snapshot(SnapshotQuery(stores: [.network, .sessions]))
    let isOffline = try snapshot.json.object("network")?.string("status") == NetworkPath.Status.offline.rawValue
    return try snapshot.sessions().contains { $0.state == .opening || $0.state == .created && !isOffline }
  }
}
