import Foundation

extension Error {
  /// What the system says of a file that it does not open, read or write.
  package var systemWords: String {
    let cause = (self as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
    guard let code = (self as? POSIXError)?.code.rawValue ?? cause.map({ Int32(clamping: $0.code) }) else {
      return localizedDescription
    }
    return String(cString: strerror(code))
  }
}
