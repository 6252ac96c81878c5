import PodfluxClient
import PodfluxCore
import PodfluxEngine
import PodfluxPeople

/// What tells of a library: the engine that runs, which knows what keeps downloads and refreshes from the network, and
/// how fast the others come, else the library itself.
struct EngineOrLibrary {
  let folder: LibraryFolder
  /// Where a person has said that the engine listens.
  let socket: SocketPath?

  /// What holds the library.
  enum EngineState {
    case runs
    case suspended
    /// The engine does not answer.
    case silent(SilentEngine)
    /// An engine holds the library, and does not listen where commands look for it.
    case unheard
    case none

    var words: String {
      switch self {
      case .runs: "an engine runs"
      case .suspended: "its engine is suspended"
      case .silent(let engine): engine.description
      case .unheard: "an engine runs, and does not listen where commands look for it"
      case .none: "no engine runs"
      }
    }
  }

  /// Calls the body with the engine, if one answers, else with the library: with both, if the engine ends meanwhile.
  func read<Value>(_ body: (any SnapshotSource, EngineState) throws -> Value) throws -> Value {
    var folder = folder
    do {
      let engine = try RunningEngine.connect(given: socket, place: folder.place)
      if isAnyLibrary, let library = engine.library { folder = LibraryFolder(place: LibraryPlace(library)) }
      return try body(ClientConnection(engine), .runs)
    } catch let refusal as EngineRefusal where refusal.is(.suspended) {
      // The suspended engine has given the library up, and answers nothing until it is resumed.
      return try body(folder, .suspended)
    } catch  where isAnyLibrary {
      throw error
    } catch SocketFailure.noEngine {
      return try withoutEngine(body)
    } catch ConnectionFailure.ended {
      return try withoutEngine(body)
    } catch let refusal as EngineRefusal where refusal.isOfEnd {
      // The engine belonged to another command, and ends with it.
      return try withoutEngine(body)
    } catch SocketFailure.silent(let engine) {
      return try body(folder, .silent(engine))
    } catch ConnectionFailure.silent(let engine) {
      return try body(folder, .silent(engine))
    }
  }

  /// Whether the library is that of the engine at the socket: without that engine there is nothing to show.
  private var isAnyLibrary: Bool { socket?.isNamedAlone(beside: folder.place) ?? false }

  private func withoutEngine<Value>(_ body: (any SnapshotSource, EngineState) throws -> Value) throws -> Value {
    let isHeld = try LibraryReader.isInUse(libraryAt: folder.place.library, stateFolder: folder.place.state)
    return try body(folder, isHeld ? .unheard : .none)
  }
}
