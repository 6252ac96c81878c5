import ArgumentParser
import PodfluxClient
import PodfluxCore
import PodfluxEngine
import PodfluxPeople
import Terminal

/// `podflux status --watch`: a table that is drawn anew.
struct StatusWatch {
  /// The time between two looks, in milliseconds.
  private static let intervalMilliseconds = 1000

  let source: StatusSource
  let endsWhenIdle: Bool
  let console: Console

  func run() throws {
    let signals = try CommandSignals()
    var table = TransferTable()
    var region = LiveRegion(usesColor: console.mode.usesColor)
    while true {
      let report = try source.report()
      let isOver = endsWhenIdle && report.counts.moving == 0
      switch console.mode.progress {
      // A result, and no progress: how stderr is written to does not concern it.
      case _ where console.options.json: report.print(on: console)
      case .live:
        let lines = report.frame(by: console.clock, on: console.size, table: &table)
        console.errors.write(
          isOver ? region.finish(lines, on: console.size) : region.draw(lines, on: console.size))
      case .plain: report.print(on: console)
      case .none: break
      }
      if isOver { return }
      if signals.comes(withinMilliseconds: Self.intervalMilliseconds) {
        console.errors.write(region.erase())
        throw ExitCode.interrupted
      }
    }
  }
}

/// Where the status comes from: the engine that runs, which knows the rates, else the library.
struct StatusSource {
  let folder: LibraryFolder
  /// Where a person has said that the engine listens.
  let socket: SocketPath?

  func report() throws -> StatusReport {
    var folder = folder
    do {
      let engine = try RunningEngine.connect(given: socket, place: folder.place)
      if isAnyLibrary, let library = engine.library { folder = LibraryFolder(place: LibraryPlace(library)) }
      return try StatusReport(of: ClientConnection(engine), engine: .runs)
    } catch let refusal as EngineRefusal where refusal.is(.suspended) {
      // It has given the library up, and answers nothing until it goes on.
      return try StatusReport(of: folder, engine: .suspended)
    } catch  where isAnyLibrary {
      throw error
    } catch SocketFailure.noEngine {
      return try withoutEngine()
    } catch ConnectionFailure.ended {
      return try withoutEngine()
    } catch let refusal as EngineRefusal where refusal.isOfEnd {
      // Another command's own engine ends.
      return try withoutEngine()
    } catch SocketFailure.silent(let engine) {
      return try StatusReport(of: folder, engine: .silent(engine))
    } catch ConnectionFailure.silent(let engine) {
      return try StatusReport(of: folder, engine: .silent(engine))
    }
  }

  /// Whether the library is that of the engine at the socket: without that engine there is nothing to show.
  private var isAnyLibrary: Bool { socket?.isNamedAlone(beside: folder.place) ?? false }

  private func withoutEngine() throws -> StatusReport {
    let isHeld = try LibraryReader.isInUse(libraryAt: folder.place.library, stateFolder: folder.place.state)
    return try StatusReport(of: folder, engine: isHeld ? .unheard : .none)
  }
}
