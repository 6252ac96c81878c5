import FileStore
import Flux
import Foundation
import PodfluxCore

/// A library's quarantine for people, without an engine or beside a running one.
public struct LibraryQuarantine: Sendable {
  /// Why something could not be done. One sentence for people.
  public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no library, or it cannot be read.
    case unreadableLibrary(String)
    /// What was asked for cannot be meant.
    case wrongUsage(String)
    /// It was tried, or would have harmed something.
    case failed(String)

    /// The reason.
    public var description: String {
      switch self {
      case .unreadableLibrary(let reason), .wrongUsage(let reason), .failed(let reason): reason
      }
    }
  }

  private let quarantine: Quarantine

  /// Opens the library at `path`, which must be there, with the folder of its state if it has one elsewhere.
  public init(ofLibraryAt path: String, state: String? = nil) throws(Failure) {
    do throws(FileError) {
      quarantine = Quarantine(try Library.open(at: path, state: state, mode: .existing))
    } catch {
      throw .unreadableLibrary(Library.reason(notOpenedAt: path, because: error))
    }
  }

  /// Calls the body with all files in quarantine, in the order of their names. Changes nothing.
  public func forEachFile(_ body: (QuarantinedFile) -> Void) throws(Failure) {
    do throws(FileError) {
      try quarantine.forEachItem { (item) throws(FileError) in body(item) }
    } catch {
      throw .failed("the quarantine cannot be read: \(error)")
    }
  }

  /// Puts the file `name` back to where it came from or to `destination`, never over anything, and tells where it is and how
  /// long.
  public func restore(
    _ name: String, to destination: EntryPath?
  ) throws(Failure) -> (place: EntryPath, bytes: Int64) {
    let outcome: Quarantine.Restoring
    do throws(FileError) {
      outcome = try quarantine.restore(name, to: destination)
    } catch .illegalPath(let path) {
      throw .wrongUsage("\(FileError.illegalPath(path: path))")
    } catch {
      throw .failed("\"\(name)\" cannot be restored: \(error)")
    }
    switch outcome {
    case .restored(let place, let identity): return (place, identity.size)
    case .occupied(let place): throw .failed("\"\(place.text)\" is taken and is not replaced; name another place")
    case .noPlace: throw .wrongUsage("it is not known where \"\(name)\" belongs; name a place for it")
    case .gone: throw .failed("there is no \"\(name)\" in quarantine")
    }
  }

  /// Deletes for good what was put aside longer ago than so many days, or all without a number, and tells how much that
  /// was.
  public func empty(olderThanDays days: Int?) throws(Failure) -> (files: Int, bytes: Int64) {
    let now = Services.clock().wall
    let moment = days.map { now.advanced(byDays: -$0) }
    do throws(FileError) {
      let deleted = try quarantine.empty(olderThan: moment)
      return (deleted.files, deleted.bytes)
    } catch {
      throw .failed("the quarantine cannot be emptied: \(error)")
    }
  }
}
