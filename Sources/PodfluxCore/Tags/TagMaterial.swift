/// What the tags of a file show and the feed only names: pictures and chapters. An attempt fetches it when its file is
/// complete, before the file is copied for its tags. Nothing of it is kept (the article Tags).
package struct TagMaterial: Hashable, Sendable {
  /// A part of it, in the order in which parts are fetched.
  package enum Part: String, Hashable, Sendable, CaseIterable {
    /// The document with the chapters (the Podcasting 2.0 namespace, JSON chapters).
    case chapters
    /// The episode's own picture.
    case picture
    /// The podcast's cover: fetched only if there is no other picture.
    case cover

    /// The length of the largest one, in bytes.
    package var maximumBytes: Int {
      switch self {
      case .chapters: TagMaterial.chaptersBytes
      case .picture, .cover: TagMaterial.pictureBytes
      }
    }
  }

  /// The length of the largest picture that is written into a file, in bytes.
  package static let pictureBytes = 5 << 20
  /// The length of the largest document of chapters that is read, in bytes: many times what 255 chapters need.
  package static let chaptersBytes = 256 << 10
  /// How long an attempt waits for all parts together, in milliseconds. Then the file is published with what has come.
  package static let patienceMilliseconds: Int64 = 30_000

  /// What has come, as it came. A picture is a JPEG or a PNG by its first bytes, chapters are an object of JSON;
  /// nothing more is known of them.
  package private(set) var parts: [Part: [UInt8]]
  /// Why parts are missing that the feed names, for people.
  package private(set) var missing: [Part: String]

  /// No part by default.
  package init(parts: [Part: [UInt8]] = [:], missing: [Part: String] = [:]) {
    self.parts = parts
    self.missing = missing
  }

  /// Takes in a part that has come as a whole, if it is what it should be. Cost: linear in its length.
  package mutating func take(_ bytes: [UInt8], as part: Part) {
    let signature = MediaSignature(bytes.prefix(MediaSignature.length))
    switch part {
    case .chapters where !JSONSyntax.isObject(bytes): miss(part, because: "the server sent no chapters in JSON")
    case .picture where signature != .jpeg && signature != .png, .cover where signature != .jpeg && signature != .png:
      miss(part, because: "the server sent neither a JPEG nor a PNG")
    case .chapters, .picture, .cover: parts[part] = bytes
    }
  }

  /// Notes why a part is missing.
  package mutating func miss(_ part: Part, because reason: String) { missing[part] = reason }
}

/// Where the parts of a file's `TagMaterial` are, and which way the connections to each may take.
package struct TagSources: Hashable, Sendable {
  /// Where a part is.
  package struct Source: Hashable, Sendable {
    package var address: WebAddress
    package var route: Route
    /// To which addresses they may lead.
    package var reach: Reach
    /// The session whose credentials go with the request; nil for none.
    package var session: SessionUse?

    package init(_ address: WebAddress, route: Route, reach: Reach, session: SessionUse? = nil) {
      self.address = address
      self.route = route
      self.reach = reach
      self.session = session
    }
  }

  /// The parts that may be fetched now.
  package private(set) var sources: [TagMaterial.Part: Source] = [:]

  /// Those that the rows of an episode and its feed name.
  ///
  /// - Parameters:
  ///   - episode: The episode, which names its chapters and its picture.
  ///   - feed: Its feed, which names the podcast's cover; nil if it is gone.
  ///   - source: How an address is reached; nil where it may not be used now.
  package init(_ episode: Episode, of feed: Feed?, source: (WebAddress) -> Source?) {
    let content = episode.content
    let cover = feed?.podcast?.image
    let picture = content.image.flatMap { $0.description == cover ? nil : $0 }
    let addresses: [(TagMaterial.Part, WebAddress?)] = [
      (.chapters, content.chapters), (.picture, picture), (.cover, cover.flatMap { try? WebAddress($0) }),
    ]
    for (part, address) in addresses {
      guard let address, let source = source(address) else { continue }
      sources[part] = source
    }
  }

  /// Makes a list of these sources.
  package init(_ sources: [TagMaterial.Part: Source]) { self.sources = sources }

  package subscript(part: TagMaterial.Part) -> Source? { sources[part] }
}
