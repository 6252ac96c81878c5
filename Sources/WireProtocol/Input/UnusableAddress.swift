import PodfluxCore
import Texts

/// Why a text is no address that can be fetched. It repeats nothing of the text, which may have secrets.
package struct UnusableAddress: Error {
  /// What would be right: it follows "must be".
  package let wish: String
  /// Whether the scheme is another one than http and https.
  let hasOtherScheme: Bool
  /// Whether it is no URL of http or https at all.
  package let isNoWebAddress: Bool

  fileprivate init(_ wish: String, hasOtherScheme: Bool = false, isNoWebAddress: Bool = false) {
    (self.wish, self.hasOtherScheme, self.isNoWebAddress) = (wish, hasOtherScheme, isNoWebAddress || hasOtherScheme)
  }

  fileprivate init(_ fault: WebAddress.Fault) {
    switch fault {
    case .unsupportedScheme: self.init("a URL that begins with http:// or https://", hasOtherScheme: true)
    case .tooLong: self.init("at most \(WebAddress.maximumLength) bytes long")
    case .forbiddenCharacter:
      self.init("a URL without blanks, control characters and backslashes; escape them with %")
    case .noScheme: self.init("a URL that begins with http:// or https://", isNoWebAddress: true)
    case .noHost:
      self.init("a URL with a host such as https://example.org/episode.mp3", isNoWebAddress: true)
    case .foreignHost: self.init("a URL whose host is a name that DNS can have")
    case .badPort: self.init("a URL with a port from 1 to 65535, or with none")
    }
  }
}

extension WebAddress {
  /// Reads an address that can be fetched; its host may be beyond ASCII.
  package init(fetchable text: String) throws(UnusableAddress) {
    do throws(WebAddress.Fault) {
      try self.init(InternationalHost.inASCII(text))
    } catch {
      throw UnusableAddress(error)
    }
    switch obstruction {
    case nil: break
    case .badHost: throw UnusableAddress("a URL whose host is a name of letters, digits, - . _ or an IP address")
    case .ambiguousUser: throw UnusableAddress("a URL with at most one @ before its path; write others as %40")
    }
  }
}
