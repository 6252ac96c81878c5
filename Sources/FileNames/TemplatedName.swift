import PodfluxCore

/// A file's name without extension, as a template makes it. Where it is too long the title loses its end, so that a
/// number or an id behind it stays.
struct TemplatedName {
  private let parts: [NameTemplate.Part]
  private let whole: String
  private let isPortable: Bool

  /// Nil if nothing is left of the parts, of which the values are clean.
  init?(_ parts: [NameTemplate.Part], portably isPortable: Bool) {
    guard let whole = Self.joined(parts, isPortable) else { return nil }
    self.parts = parts
    self.whole = whole
    self.isPortable = isPortable
  }

  /// The name in at most so many bytes; nil if nothing is left.
  func text(ofBytes room: Int) -> String? {
    let excess = whole.utf8.count - room
    guard excess > 0 else { return whole }
    guard let title = parts.firstIndex(where: { $0.field == .title }), parts[title].text.utf8.count > excess else {
      return NameComponent.cut(whole, toBytes: room)
    }
    var parts = parts
    parts[title].text = NameComponent.cut(parts[title].text, toBytes: parts[title].text.utf8.count - excess) ?? ""
    return Self.joined(parts, isPortable).flatMap { NameComponent.cut($0, toBytes: room) }
  }

  private static func joined(_ parts: [NameTemplate.Part], _ isPortable: Bool) -> String? {
    NameComponent.clean(parts.map(\.text).joined(), portably: isPortable)
  }
}
