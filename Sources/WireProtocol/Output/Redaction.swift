import Foundation
import PodfluxCore

extension WebAddress {
  /// The same as `redacted`, without a search where neither a user nor a token can be.
  var shown: String { description.mayHaveSecrets ? redacted : description }
}

extension ResumeRecord {
  /// The record without user, password and tokens in its URL.
  var redacted: ResumeRecord {
    guard url.mayHaveSecrets else { return self }
    var record = self
    record.url = (try? WebAddress(url))?.redacted ?? ""
    return record
  }
}

extension String {
  /// What may be shown of a text of a feed that should be a URL.
  var shownURL: String {
    guard mayHaveSecrets else { return self }
    return (try? WebAddress(self))?.redacted ?? SecretParts.shown(self, upTo: WebAddress.maximumLength)
  }

  /// What may be shown of a guid, which often is the URL of the episode's file.
  var shownGuid: String { mayHaveSecrets ? SecretParts.removed(from: self) : self }

  /// What may be shown of a text of a feed: the URLs in it have no users and no tokens.
  var shownText: String {
    guard mayHaveSecrets else { return self }
    // By scalars: a slash and a combining mark behind it are one character.
    let url = /(?i)https?:\/\/[^\s<>"']+/.matchingSemantics(.unicodeScalar)
    return replacing(url) { String($0.output).shownURL }
  }

  /// Whether a URL may have a user name or a query.
  fileprivate var mayHaveSecrets: Bool {
    utf8.withContiguousStorageIfAvailable { bytes in
      guard let start = bytes.baseAddress else { return false }
      return "@?".utf8.contains { memchr(start, CInt($0), bytes.count) != nil }
    } ?? true
  }
}
