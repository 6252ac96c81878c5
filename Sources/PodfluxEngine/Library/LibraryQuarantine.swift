import FileStore
import Flux
import Foundation
import PodfluxCore

/// A library's quarantine, the folder of the files that were put aside: lists, restores and deletes them, without an
/// engine or beside a running one.
///
/// ```swift
/// let deleted = try LibraryQuarantine(ofLibraryAt: "/srv/podcasts").empty(olderThanDays: 30)
/// ```
///
/// Nothing replaces another file. Calls wait for the disk.
package struct LibraryQuarantine: Sendable {
  /// Why an operation failed; nothing was changed. `description` is one sentence for people:
  /// `print(failure.description)`.
  package enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The library is missing or unreadable.
    case unreadableLibrary(String)
    /// The arguments are invalid.
    case wrongUsage(String)
    /// The operation failed, or would have overwritten something.
    case failed(String)

    package var description: String {
      switch self {
      case .unreadableLibrary(let reason), .wrongUsage(let reason), .failed(let reason): reason
      }
    }
  }

  private let quarantine: Quarantine

  /// Opens the existing library at `path`, with its state folder if that lies outside.
  package init(ofLibraryAt path: String, stateFolder state: String? = nil) throws(Failure) {
    do throws(FileError) {
      quarantine = Quarantine(try Library.open(at: path, state: state, mode: .existing))
    } catch {
      throw .unreadableLibrary(Library.reason(notOpenedAt: path, because: error))
    }
  }

  /// Calls the body with each file in quarantine, in the order of their names. Changes nothing.
  package func forEachFile(_ body: (QuarantinedFile) -> Void) throws(Failure) {
    do throws(FileError) {
      try quarantine.forEachItem { (item) throws(FileError) in body(item) }
    } catch {
      throw .failed("the quarantine cannot be read: \(error)")
    }
  }

  /// Restores the file `name` to its original path or to `destination`, never over another file, and returns its path
  /// and length.
  package func restore(
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
    case .restored(let place, _) where destination.map { $0 != place } ?? false:
      throw .failed("\"\(name)\" has been restored before, to \"\(place.text)\"")
    case .restored(let place, let identity): return (place, identity.size)
    case .occupied(let place): throw .failed("\"\(place.text)\" is taken and is not replaced; name another place")
    case .noPlace: throw .wrongUsage("it is not known where \"\(name)\" belongs; name a place for it")
    case .gone: throw .failed("there is no \"\(name)\" in quarantine")
    }
  }

  /// Deletes the files quarantined more than so many days ago, or all with nil, and returns their number and size.
  package func empty(olderThanDays days: Int?) throws(Failure) -> (files: Int, bytes: Int64) {
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
