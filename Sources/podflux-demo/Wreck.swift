import Foundation

/// The state after killing the engine.
struct Wreck {
  /// The output of `podflux snapshot` without a running engine.
  let snapshot: LibrarySnapshot
  /// The bytes of each partial file, by download.
  let partials: [String: Int]
  /// The signal that ended the engine.
  let signal: Int32?
  /// How many requests the server had received.
  let requestCount: Int
  /// How many bytes of content the server had sent.
  let bytesServed: Int

  init(snapshot: LibrarySnapshot, library: String, signal: Int32?, requestCount: Int, bytesServed: Int) throws {
    self.snapshot = snapshot
    self.signal = signal
    self.requestCount = requestCount
    self.bytesServed = bytesServed
    var partials: [String: Int] = [:]
    for item in snapshot.items where item.state != "completed" {
      let path = "\(library)/.podflux/partial/\(item.id).part"
      guard FileManager.default.fileExists(atPath: path) else { continue }
      let length = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
      if let length, length > 0 { partials[item.id] = length }
    }
    self.partials = partials
  }

  /// The downloads whose files were published.
  var completed: [Item] { snapshot.items.filter { $0.state == "completed" } }

  /// The total size of the partial files, in bytes.
  var partialBytes: Int { partials.values.reduce(0, +) }
}
