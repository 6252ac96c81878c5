import FileStore
import Logging

/// The room on the state's disk that is set aside for the database, where failures are warnings: an engine works
/// without it.
struct RecordsRoom: Sendable {
  private static let givenUp: Logger.Message =
    "the disk is full: the database gets the room that was set aside for it; free some, and it is set aside again"
  private static let notGivenUp: Logger.Message = "the room that is set aside for the database cannot be given up"

  private let library: Library
  private let logger: Logger

  init(_ library: Library, logger: Logger) {
    self.library = library
    self.logger = logger
  }

  /// Sets it aside if there is plenty.
  func setAside() {
    do throws(FileError) {
      try library.setRecordsRoomAside()
    } catch {
      logger.warning("no room can be set aside for the database", metadata: ["reason": "\(error)"])
    }
  }

  /// Gives it up if the disk is full already: an engine's start has to record something.
  func giveUpIfNeeded() {
    giveUp { () throws(FileError) in try library.giveUpRecordsRoomIfNeeded() }
  }

  /// Gives it up.
  ///
  /// - Returns: Whether anything was set aside.
  @discardableResult
  func giveUp() -> Bool {
    giveUp { () throws(FileError) in try library.giveUpRecordsRoom() }
  }

  @discardableResult
  private func giveUp(_ body: () throws(FileError) -> Bool) -> Bool {
    do throws(FileError) {
      guard try body() else { return false }
      logger.warning(Self.givenUp)
      return true
    } catch .readOnly {
      // The database says so itself, once; each failed commit asks for the room again.
      return false
    } catch {
      logger.warning(Self.notGivenUp, metadata: ["reason": "\(error)"])
      return false
    }
  }
}
