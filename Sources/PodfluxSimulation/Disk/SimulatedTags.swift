import Flux
import PodfluxCore

/// Tags on the simulated disk: some bytes in front of the file.
enum SimulatedTags {
  private static let mark = Array("tagged".utf8)
  private static let fillers = 1...40

  /// Tags of some length.
  static func some(using random: inout SeededGenerator) -> [UInt8] {
    let count = random.within(fillers)
    return mark + [UInt8(count)] + [UInt8](repeating: 0x54, count: count)
  }

  /// What a tagged file was made of; nil if it has no tags.
  static func original(of content: [UInt8]) -> [UInt8]? {
    guard content.starts(with: mark), content.count > mark.count else { return nil }
    let start = mark.count + 1 + Int(content[mark.count])
    return start <= content.count ? Array(content[start...]) : nil
  }
}
