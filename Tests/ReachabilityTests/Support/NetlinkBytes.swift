/// Builds rtnetlink(7) datagrams.
enum NetlinkBytes {
  /// A complete message.
  static func message(
    _ type: UInt16, flags: UInt16 = 0, sequence: UInt32 = 0, _ body: [UInt8] = [], _ attributes: [[UInt8]] = []
  ) -> [UInt8] {
    let content = body + attributes.flatMap { $0 }
    let length = UInt32(16 + content.count)
    return padded(raw(length) + raw(type) + raw(flags) + raw(sequence) + raw(UInt32(0)) + content)
  }

  static func link(
    _ index: Int32, _ name: String, type: UInt16 = 1, flags: UInt32 = 0x1_1043, state: UInt8? = 6, family: UInt8 = 0,
    kind: UInt16 = 16, sequence: UInt32 = 0
  ) -> [UInt8] {
    let body = [family, 0] + raw(type) + raw(index) + raw(flags) + raw(UInt32(0))
    return message(
      kind, sequence: sequence, body,
      [attribute(3, Array(name.utf8) + [0])] + (state.map { [attribute(16, [$0])] } ?? []))
  }

  static func address(_ link: Int32, _ bytes: [UInt8], scope: UInt8 = 0, flags: UInt32 = 0, kind: UInt16 = 20)
    -> [UInt8]
  {
    let family: UInt8 = bytes.count == 4 ? 2 : 10
    return message(
      kind, [family, 24, 0, scope] + raw(link),
      [attribute(1, bytes)] + (bytes.count == 4 ? [attribute(2, bytes)] : []) + [attribute(8, raw(flags))])
  }

  static func route(
    _ link: Int32, family: UInt8 = 2, length: UInt8 = 0, table: UInt8 = 254, type: UInt8 = 1, flags: UInt32 = 0,
    metric: UInt32? = nil, more: [[UInt8]] = [], kind: UInt16 = 24, headerFlags: UInt16 = 0
  ) -> [UInt8] {
    let body = [family, length, 0, 0, table, 3, 0, type] + raw(flags)
    let attributes = [attribute(4, raw(link))] + (metric.map { [attribute(6, raw($0))] } ?? [])
    return message(kind, flags: headerFlags, body, attributes + more)
  }

  static func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
    padded(raw(UInt16(4 + value.count)) + raw(type) + value)
  }

  static func raw(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number) { Array($0) }
  }

  private static func padded(_ bytes: [UInt8]) -> [UInt8] {
    bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
  }
}
