import Flux

/// A small file beside an episode's file, or a cover in a podcast's folder, as stored in its row.
package struct Sidecar: Hashable, Sendable {
  /// The number of its row; none is given twice.
  package typealias Key = Int64

  package let key: Key
  package let kind: SidecarKind
  /// The download beside whose file it lies. Nil for a cover, and for a sidecar whose download was removed while its
  /// file was kept: that sidecar is the user's, like the file.
  package var owner: DownloadID?
  /// Where it is fetched; nil if it is made of rows.
  package var address: WebAddress?
  /// Its path without the extension, which its content decides.
  package var stem: String
  package var state: State { didSet { if !isToBeFetched { session = nil } } }
  /// The session of its podcast's feed, if it is for the host of its address, as long as it may have to be fetched.
  package var session: Session.Key?
  /// Where its podcast's feed was read that names its address.
  package var feedReadFrom: AddressClass

  /// How far a sidecar has come, from wanted to present or failed.
  package enum State: Hashable, Sendable {
    /// The sidecar is fetched at this moment at the earliest, after so many failed attempts.
    case wanted(failures: Int, next: Timestamp)
    /// Its file is complete, and gets its name now, after so many attempts that failed. Whether it has the name is
    /// looked up at this moment at the earliest: at once, unless that has failed.
    case publishing(PublishedFile, failures: Int, next: Timestamp = .init(milliseconds: 0))
    /// Its file is there.
    case present(PublishedFile)
    /// Its file gets another name.
    case moving(PublishedFile, to: LibraryPath)
    /// Its file is owed its deletion, here or, if it was being moved, there.
    case leaving(PublishedFile, or: LibraryPath?)
    /// A person has removed, moved or changed its file: it is never fetched again.
    case disowned(PublishedFile)
    /// The sidecar could not be fetched, or its place is taken; one sentence says why.
    case failed(String)
  }

  package init(
    key: Key = 0, kind: SidecarKind, owner: DownloadID?, address: WebAddress?, stem: String, state: State,
    session: Session.Key? = nil, feedReadFrom: AddressClass = .unknown
  ) {
    self.key = key
    self.kind = kind
    self.owner = owner
    self.address = address
    self.stem = stem
    self.state = state
    self.session = session
    self.feedReadFrom = feedReadFrom
  }

  /// Whether a request for it may follow.
  var isToBeFetched: Bool {
    switch state {
    case .wanted, .publishing: true
    case .present, .moving, .leaving, .disowned, .failed: false
    }
  }

  /// Its file, where it has one or had one.
  package var file: PublishedFile? {
    switch state {
    case .wanted, .failed: nil
    case .publishing(let file, _, _), .present(let file), .moving(let file, _), .leaving(let file, _),
      .disowned(let file):
      file
    }
  }
}

extension Sidecar: OwedPiece {}

extension Sidecar {
  /// How many attempts to fetch it have failed.
  var failures: Int {
    switch state {
    case .wanted(let failures, _), .publishing(_, let failures, _): failures
    case .present, .moving, .leaving, .disowned, .failed: 0
    }
  }

  /// Whether something is to be fetched for: its download has not gone, or it is a cover, which has none.
  var mayBeFetched: Bool { owner != nil || kind == .cover }

  /// Whether its file gets its name now.
  var isPublishing: Bool { if case .publishing = state { true } else { false } }

  /// Whether its file is owed its deletion.
  var isLeaving: Bool { if case .leaving = state { true } else { false } }
}

extension Sidecar {
  /// The path of a media file without its extension: what lies beside it begins so.
  package static func stem(beside media: LibraryPath) -> String {
    let text = media.description
    return String(text.unicodeScalars.dropLast(media.name.unicodeScalars.count)) + FileExtension.stem(of: media.name)
  }

  /// The stem of a download's sidecar. The language is the podcast's; transcripts are named by it.
  package static func stem(of kind: SidecarKind, beside media: LibraryPath, language: String? = nil) -> String {
    let stem = stem(beside: media)
    return switch kind {
    case .cover, .picture, .notes: stem
    case .chapters: stem + ".chapters"
    case .transcript: language.flatMap(primarySubtag).map { stem + ".\($0)" } ?? stem
    case .info: stem + ".info"
    }
  }

  package static func coverStem(in folder: LibraryPath) -> String { folder.description + "/" + coverName }

  /// The stem of a sidecar's file.
  package static func stem(of path: LibraryPath) -> String {
    guard let dot = path.description.utf8.lastIndex(of: UInt8(ascii: ".")) else { return path.description }
    return String(path.description[..<dot])
  }

  /// The name of covers, without the extension.
  package static let coverName = "cover"

  /// The language itself, of two or three letters in lower case (RFC 5646 section 2.2.1); nil if the tag begins
  /// otherwise.
  private static func primarySubtag(_ tag: String) -> String? {
    let subtag = tag.utf8.prefix { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
    guard (2...3).contains(subtag.count), subtag.allSatisfy({ (97...122).contains($0 | 0x20) }) else { return nil }
    return String(Substring(subtag)).lowercased()
  }

  /// The folder of a podcast's own files; nil if it has none: they lie at the top of the library, in a folder that its
  /// template shares among podcasts, or a person has put them elsewhere.
  ///
  /// - Parameters:
  ///   - media: The file of one of its episodes.
  ///   - podcast: The name of the podcast, as it stands in names.
  ///   - naming: How the file is named.
  package static func folder(of media: LibraryPath, podcast: String?, naming: DownloadNaming) -> LibraryPath? {
    guard let podcast else { return nil }
    var names: [[NameTemplate.Part]] = [[.init(podcast, of: .podcast)], [.init("", of: .title)]]
    if !naming.template.isStandard {
      names = naming.template.names { field in
        switch field {
        case .podcast: podcast
        case .title, .date, .time, .index, .ext: ""
        case .season, .number, .guid, .type: naming.value(of: field)
        }
      }
    }
    guard let index = names.firstIndex(where: { $0.contains { $0.field == .podcast } }), index < names.count - 1 else {
      return nil
    }
    let components = media.components
    guard components.count > index + 1 else { return nil }
    let (wanted, found) = (letters(names[index].map(\.text).joined()), letters(components[index]))
    // A long name is cut.
    guard wanted == found || found.count >= shortestCut && wanted.hasPrefix(found) else { return nil }
    return LibraryPath(checked: components.prefix(index + 1))
  }

  /// From so many letters on the beginning of a name is taken for the name.
  private static let shortestCut = 24

  /// Names on disks have other marks than titles, and perhaps other capitals.
  private static func letters(_ text: String) -> String {
    text.lowercased().filter { $0.isLetter || $0.isNumber }
  }
}
