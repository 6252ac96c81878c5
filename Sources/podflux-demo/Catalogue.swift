import Foundation
import ScriptedOrigin

/// An episode of the demo's server, which has three podcasts, ten episodes, about 24 MB.
struct Episode {
  /// The download's id, and the last part of its URL.
  let id: String
  let podcast: String
  let title: String
  let published: String
  let resource: Resource
  let bytesPerSecond: Int

  var length: Int { resource.body.length }
  var urlPath: String { "/" + id }

  /// The payload of `downloads/enqueue`.
  func wish(at origin: ScriptedOrigin) -> [String: Any] {
    ["id": id, "url": origin.url(urlPath), "podcast": podcast, "title": title, "published": published]
  }

  func serve(from origin: ScriptedOrigin) {
    origin.serve(urlPath, .resource(resource).limited(toBytesPerSecond: bytesPerSecond))
  }
}

enum Catalogue {
  /// The long and slow episode, which downloads for the whole demo.
  static let slowID = "night-4"
  /// The episode that the demo pauses.
  static let pausedID = "night-1"

  private static let usualBytesPerSecond = 900_000
  private static let slowBytesPerSecond = 600_000

  /// All episodes, in the order of enqueueing.
  static func episodes() throws -> [Episode] {
    let trains = "Night Trains"
    let south = "Funkhaus Süd"
    let print = "The Small Print"
    return try [
      episode(slowID, trains, "A Night at the Border", "2026-03-27", 6_000_000, .stamped, slowBytesPerSecond),
      episode(pausedID, trains, "Vienna to Hamburg", "2026-03-06", 3_200_000, .stamped),
      episode("south-1", south, "Äpfel/Birnen: Größe & Maß", "2026-02-03", 2_000_000, .m4a),
      episode("print-1", print, "Definitions", "2026-01-12", 1_000_000, .opus),
      episode("night-2", trains, "The Sleeper to Stockholm", "2026-03-13", 2_400_000, .mp3),
      episode("south-2", south, "Was ist Rauschen?", "2026-02-10", 1_200_000, .m4a),
      episode("print-2", print, "Clause 7: Termination", "2026-01-19", 1_800_000, .opus),
      episode("night-3", trains, "Paris, 22:12", "2026-03-20", 1_600_000, .mp3),
      episode("south-3", south, "Über Öl, Übermut und Übel", "2026-02-17", 2_800_000, .m4a),
      episode("print-3", print, "What “shall” means", "2026-01-26", 2_200_000, .opus),
    ]
  }

  private enum Content {
    /// Fixtures, repeated: they play.
    case mp3, m4a, opus
    /// All blocks differ: a misplaced one is detected.
    case stamped

    var mediaType: String {
      switch self {
      case .mp3, .stamped: "audio/mpeg"
      case .m4a: "audio/mp4"
      case .opus: "audio/opus"
      }
    }

    func body(length: Int, seed: UInt64) throws -> Body {
      switch self {
      case .mp3: try Fixtures.body(Fixtures.mp3, repeatedToLength: length)
      case .m4a: try Fixtures.body(Fixtures.m4a, repeatedToLength: length)
      case .opus: try Fixtures.body(Fixtures.opus, repeatedToLength: length)
      case .stamped: .audio(length: length, seed: seed)
      }
    }
  }

  private static func episode(
    _ id: String, _ podcast: String, _ title: String, _ day: String, _ length: Int, _ content: Content,
    _ bytesPerSecond: Int = usualBytesPerSecond
  ) throws -> Episode {
    let resource = Resource(
      try content.body(length: length, seed: UInt64(length)), mediaType: content.mediaType,
      entityTag: .strong(id))
    return Episode(
      id: id, podcast: podcast, title: title, published: day + "T05:00:00Z", resource: resource,
      bytesPerSecond: bytesPerSecond)
  }
}
