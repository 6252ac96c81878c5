import Foundation
import TestSupport
import Testing

@testable import WireProtocol

/// `PODFLUX_WRITE_REFERENCE=1` makes these tests write what they compare otherwise.
@Suite("The protocol's schema")
struct SchemaTests {
  @Test("says of settings what their declarations say")
  func settings() throws {
    try compare("settings", with: ProtocolSchema.settings(areAllThere: true))
    try compare("settingsPatch", with: ProtocolSchema.settings(areAllThere: false))
  }

  private func compare(_ name: String, with declared: JSONValue) throws {
    var schema = try ProtocolSchema()
    guard schema[name] != declared else { return }
    #expect(Repository.isWritingReference, "\(name) is not what PODFLUX_WRITE_REFERENCE=1 writes")
    schema[name] = declared
    if Repository.isWritingReference { try schema.write() }
  }

  @Test("is written back byte for byte")
  func bytes() throws {
    #expect(try ProtocolSchema().text == String(contentsOfFile: LineJudge.schema, encoding: .utf8))
  }
}
