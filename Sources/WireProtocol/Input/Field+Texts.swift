import Flux
import PodfluxCore

/// Texts with a meaning of their own.
extension Field {
  /// The longest title, and the longest name of a podcast, in bytes.
  static let maximumLabelBytes = 1024

  /// A text that people read and files are named by.
  func label() throws(Refusal) -> String {
    try text(ofBytes: 0...Self.maximumLabelBytes)
  }

  /// A text of so many bytes, without control characters.
  func text(ofBytes lengths: ClosedRange<Int>) throws(Refusal) -> String {
    let text = try string()
    guard lengths.contains(text.utf8.count), !text.hasControlCharacters else {
      let least = lengths.lowerBound == 0 ? "at most" : "\(lengths.lowerBound) to"
      throw mustBe("\(least) \(lengths.upperBound) bytes without control characters")
    }
    return text
  }

  /// The notes of an episode, which have several lines.
  func notes() throws(Refusal) -> EpisodeNotes {
    let text = try string()
    guard text.utf8.count <= EpisodeNotes.maximumBytes, !text.utf8.contains(0) else {
      throw mustBe("at most \(EpisodeNotes.maximumBytes) bytes without U+0000")
    }
    return EpisodeNotes(text)
  }

  func downloadID() throws(Refusal) -> DownloadID {
    guard let id = DownloadID(try string()) else {
      throw mustBe(
        "1 to \(DownloadID.maximumLength) characters of A-Z a-z 0-9 . _ - : that do not begin with a dot")
    }
    return id
  }

  func address() throws(Refusal) -> WebAddress { try address(in: string()) }

  /// The address of a feed, also in a link for podcast programs.
  func feedAddress() throws(Refusal) -> WebAddress { try address(in: PodcastLink.address(in: string())) }

  private func address(in text: String) throws(Refusal) -> WebAddress {
    do throws(UnusableAddress) {
      return try WebAddress(fetchable: text)
    } catch {
      guard error.hasOtherScheme else { throw mustBe(error.wish) }
      throw refusal(.unsupportedScheme, "\(path) has a scheme that is not supported; use http or https")
    }
  }

  /// How many mirrors a download can have at most.
  static let maximumMirrors = 16

  func mirrors() throws(Refusal) -> [WebAddress] {
    var mirrors: [WebAddress] = []
    for element in try elements(atMost: Self.maximumMirrors) {
      mirrors.append(try element.address())
    }
    return mirrors
  }

  func integrity() throws(Refusal) -> Integrity {
    guard let integrity = Integrity(try string()) else {
      throw mustBe("Subresource Integrity: sha256-, sha384- or sha512- and the digest in base64")
    }
    return integrity
  }

  func libraryPath() throws(Refusal) -> LibraryPath {
    let text = try string()
    do throws(LibraryPathError) {
      return try LibraryPath(validating: text)
    } catch {
      throw refusal(.unsafePath, error.description)
    }
  }

  func nameTemplate() throws(Refusal) -> NameTemplate {
    let text = try string()
    do throws(NameTemplateFault) {
      return try NameTemplate(validating: text)
    } catch {
      throw refusal(.invalidValue, error.description)
    }
  }

  func moment() throws(Refusal) -> Timestamp {
    try publicationDate().moment
  }

  /// A moment, and by how much the clocks were ahead of UTC that showed it.
  func publicationDate() throws(Refusal) -> PublicationDate {
    guard let date = InternetDate.parsePublication(try string()) else {
      throw mustBe("a date and time of RFC 3339 such as 2026-11-21T03:00:00Z")
    }
    return date
  }
}

extension String {
  /// Whether a C0 or C1 control character or DEL is in the text.
  var hasControlCharacters: Bool {
    !isPrintableASCII
      && unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
  }
}
