import PodfluxCore

/// The path of a download whose client names none: `<podcast>/<yyyy-MM-dd> <title>.<extension>`, or what a template
/// makes.
///
/// The same facts give the same names. It does not handle paths that a client names: the engine uses those unchanged,
/// and the download fails if a file exists there.
package struct FileNaming: Sendable {
  /// The file name if nothing is known.
  private static let nameless = "download"

  private let folders: [String]
  private let stem: Stem
  private let fileExtension: String
  /// Additions to a name that is taken, tried before numbers.
  private let distinctions: [String]

  private enum Stem {
    case plain(String)
    case templated(TemplatedName)
  }

  /// Computes the names once, for any number of candidates. With `portably`, SMB, NTFS and exFAT accept them.
  package init(_ facts: NamingFacts, portably: Bool = true) {
    let suggestedName = facts.contentDisposition.flatMap(ContentDisposition.filename(in:))
    fileExtension =
      facts.fileExtension
      ?? FileExtension.forDownload(
        mediaType: facts.mediaType, suggestedName: suggestedName, url: facts.url,
        signature: MediaSignature(facts.beginning))
    let names = [facts.title, suggestedName, RemoteName.lastPathComponent(ofURL: facts.url)]
    let name = names.lazy.compactMap { [fileExtension] name in
      name.flatMap { Self.stem(of: $0, without: fileExtension, portably: portably) }
    }.first
    let day = facts.day.flatMap(\.text)
    let plain = (day.map { "\($0) " } ?? "") + (name ?? Self.nameless)
    let template = facts.naming.template
    guard !template.isStandard else {
      folders = [facts.podcast].compactMap { $0 }.compactMap { NameComponent.folder($0, portably: portably) }
      (stem, distinctions) = (.plain(plain), [])
      return
    }
    let parts = template.names { [fileExtension] field in
      let value =
        switch field {
        case .podcast: facts.podcast
        case .title: name
        case .date: day
        case .time: facts.time
        case .ext: fileExtension
        case .season, .number, .index, .guid, .type: facts.naming.value(of: field)
        }
      return value.flatMap { NameComponent.clean($0, portably: portably) }
    }
    folders = parts.dropLast().compactMap { NameComponent.folder($0.map(\.text).joined(), portably: portably) }
    let templated = parts.last.flatMap { TemplatedName($0, portably: portably) }
    stem = templated.map(Stem.templated) ?? .plain(plain)
    distinctions = [template.uses(.date) ? nil : day, facts.naming.episode?.id.description].compactMap { $0 }
  }

  /// The first choice for number 1, then `name (2).ext`, `name (3).ext` … if the earlier ones are taken. A template's
  /// names are told apart by the episode's day and its id first, as far as they are known.
  ///
  /// No facts are known to make it throw, since the text is cleaned for that. Should some do, one download fails, and
  /// not the engine.
  package func candidate(number: Int) throws(LibraryPathError) -> LibraryPath {
    precondition(number >= 1, "candidates are counted from 1")
    let distinction =
      distinctions.indices.contains(number - 2) ? distinctions[number - 2] : "\(number - distinctions.count)"
    let addition = number == 1 ? "" : " (\(distinction))"
    let ending = addition + "." + fileExtension
    // A sidecar has the same name with another ending.
    let longest = max(ending.utf8.count, addition.utf8.count + SidecarLimits.endingBytes)
    let room = LibraryPath.maximumComponentBytes - longest
    let name: String? =
      switch stem {
      case .plain(let text): NameComponent.cut(text, toBytes: room)
      case .templated(let name): name.text(ofBytes: room)
      }
    return try LibraryPath(validating: (folders + [(name ?? Self.nameless) + ending]).joined(separator: "/"))
  }

  /// The name without an extension of media, which would otherwise appear twice.
  private static func stem(of name: String, without fileExtension: String, portably: Bool) -> String? {
    guard let clean = NameComponent.clean(name, portably: portably) else { return nil }
    guard let found = FileExtension.of(name: clean), found == fileExtension || FileExtension.isKnown(found) else {
      return clean
    }
    return NameComponent.clean(String(clean.unicodeScalars.dropLast(found.utf8.count + 1)), portably: portably)
  }
}
