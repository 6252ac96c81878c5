import Glibc

/// Makes a system call, repeats it after EINTR, and turns -1 into a typed error.
@discardableResult
func systemCall<Result: SignedInteger>(
  _ operation: String, _ path: @autoclosure () -> String, _ call: () -> Result
) throws(FileError) -> Result {
  while true {
    let result = call()
    if result >= 0 { return result }
    let code = errno
    if code != EINTR { throw FileError(operation: operation, path: path(), code: code) }
  }
}
