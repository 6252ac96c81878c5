import FileStore
import Foundation
import Logging
import PodfluxCore
import TestSupport
import Testing

@testable import PodfluxEngine

/// A download that found no inode waited for ten minutes and more after there were thousands: the watch of the disk
/// wakes what waits for bytes, and its error named none.
@Suite("Where no inode is free")
struct InodeTests {
  @Test("a partial file that cannot be made fails for want of bytes, so that the disk is watched")
  func namesBytes() throws {
    let folder = try TemporaryFolder("podflux-inodes")
    let id = try #require(DownloadID("a"))
    let errors: [DownloadError?]
    do {
      errors = try PrivateNetwork.withTemporaryFileSystem(on: folder.path, bytes: 1 << 20, inodes: 40) {
        let library = try Library.open(at: folder.path + "/library")
        let files = LibraryFiles(library, tagger: nil, logger: Logger(label: "test"))
        func failure() -> DownloadError? {
          do throws(DownloadError) {
            try files.openPartial(of: id).close(deletingEmpty: false)
            return nil
          } catch {
            return error
          }
        }
        var number = 0
        while FileManager.default.createFile(atPath: folder.path + "/\(number)", contents: nil), number < 40 {
          number += 1
        }
        let full = failure()
        try FileManager.default.removeItem(atPath: folder.path + "/0")
        return [full, failure()]
      }
    } catch let refusal as NamespaceRefused {
      print("skipped: no file system of the test's own can be made: \(refusal)")
      return
    }
    #expect(errors.map(\.?.code) == [.noSpace, nil])
    #expect(errors[0]?.shortBytes != nil)
  }
}
