import Foundation
import PodfluxCore

extension WebAddress {
  /// The same as `redacted`, without a search where no user can be.
  var shown: String {
    let mayHide =
      description.utf8.withContiguousStorageIfAvailable { bytes in
        bytes.baseAddress.map { memchr($0, CInt(UInt8(ascii: "@")), bytes.count) != nil } ?? false
      } ?? true
    return mayHide ? redacted : description
  }
}

extension ResumeRecord {
  /// The record without user and password in its URL.
  var redacted: ResumeRecord {
    guard url.utf8.contains(UInt8(ascii: "@")) else { return self }
    var record = self
    record.url = (try? WebAddress(url))?.redacted ?? ""
    return record
  }
}
