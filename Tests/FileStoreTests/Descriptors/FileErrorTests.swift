import Glibc
import Testing

@testable import FileStore

@Suite("A file error")
struct FileErrorTests {
  @Test(
    "is sorted by its errno",
    arguments: [
      (ENOSPC, .noSpace(path: "p")), (EDQUOT, .noSpace(path: "p")), (EEXIST, .exists(path: "p")),
      (ENOENT, .notFound(path: "p")), (EROFS, .readOnly(path: "p")), (EACCES, .denied(path: "p")),
      (EPERM, .denied(path: "p")), (ELOOP, .symbolicLink(path: "p")), (ENOTDIR, .notAFolder(path: "p")),
      (EXDEV, .crossDevice(path: "p")), (EIO, .io(operation: "o", path: "p", code: EIO)),
    ] as [(Int32, FileError)])
  func sortsErrno(code: Int32, expected: FileError) {
    let error = FileError(operation: "o", path: "p", code: code)
    #expect(error == expected)
    #expect(error.description.contains("\"p\"") && !error.description.hasSuffix("."))
  }

  @Test("of an unexpected kind repeats the system's message")
  func quotesSystem() {
    #expect(FileError.io(operation: "pread", path: "p", code: EIO).description.contains("Input/output error"))
  }
}
