import Foundation

/// What a killed engine has left.
struct Wreck {
  /// What `podflux snapshot` says of the library, with no engine alive.
  let snapshot: LibrarySnapshot
  /// The bytes of each partial file that can be gone on with, by download.
  let partials: [String: Int]
  /// The signal that ended the engine.
  let signal: Int32?
  /// How many requests the server had had until then.
  let requestCount: Int
  /// How many bytes of content it had sent until then.
  let bytesServed: Int

  init(snapshot: LibrarySnapshot, library: String, signal: Int32?, requestCount: Int, bytesServed: Int) throws {
    self.snapshot = snapshot
    self.signal = signal
    self.requestCount = requestCount
    self.bytesServed = bytesServed
    var partials: [String: Int] = [:]
    for item in snapshot.items where item.isResumable || item.state == "running" {
      let path = "\(library)/.podflux/partial/\(item.id).part"
      let length = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
      partials[item.id] = length ?? 0
    }
    self.partials = partials
  }

  /// The downloads whose files were published.
  var completed: [Item] { snapshot.items.filter { $0.state == "completed" } }

  /// What the partial files hold, in bytes.
  var keptBytes: Int { partials.values.reduce(0, +) }
}
