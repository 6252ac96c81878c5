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
    let told: [(String, JSONValue)] = [
      ("full", .members([("const", .boolean(true))])), ("store", .members([("const", .string("settings"))])),
    ]
    try compare("settingsState", with: ProtocolSchema.settings(areAllThere: true, beside: told))
  }

  /// These have several shapes, which no rule of members says; `settings/update` has a definition of its own above.
  private static let byHand = ["downloads/move", "filters/toggle", "filters/selectGroup", "settings/update"]

  @Test("says of each action of a client what its form says")
  func actions() throws {
    var schema = try ProtocolSchema()
    for form in RequestForm.all.compactMap(\.action) where !Self.byHand.contains(form.type) {
      try schema.declare(form)
    }
    let declared = schema.text
    guard try declared != ProtocolSchema().text else { return }
    #expect(Repository.isWritingReference, "the actions are not what PODFLUX_WRITE_REFERENCE=1 writes")
    if Repository.isWritingReference { try schema.write() }
  }

  private func compare(_ name: String, with declared: JSONValue) throws {
    var schema = try ProtocolSchema()
    guard schema[name] != declared else { return }
    #expect(Repository.isWritingReference, "\(name) is not what PODFLUX_WRITE_REFERENCE=1 writes")
    schema[name] = declared
    if Repository.isWritingReference { try schema.write() }
  }

  @Test("has each line that a client can send, with the members of its form", arguments: RequestForm.all.map(\.type))
  func lines(type: String) throws {
    let form = try #require(RequestForm.all.first { $0.type == type })
    let payloads = try ProtocolSchema().payloads(of: type)
    let declared = Set(form.members.map(\.key))
    #expect(!payloads.isEmpty)
    // The engine's own lines have some more.
    let keys = payloads.reduce(into: Set()) { $0.formUnion($1.keys) }
    #expect(keys.subtracting(PayloadDescriber.ownMembers) == declared)
    let required = Set(form.members.filter { $0.presence == .required }.map(\.key))
    for payload in payloads { #expect(required.isSubset(of: payload.required)) }
    if payloads.count == 1 { #expect(payloads[0].required == required) }
  }

  @Test("has each action and each announcement of the stream")
  func stream() throws {
    let announced = ["downloads/removed", "downloads/started", "downloads/waiting"]
    let journal = ["engine/closed", "engine/continued", "engine/opened"]
    let intents = RequestForm.all.compactMap(\.action).map(\.type)
    let types = (ActionForm.facts.map(\.type) + intents + announced + journal).sorted()
    #expect(try ProtocolSchema()["actionType"] == .members([("enum", .array(types.map(JSONValue.string)))]))
  }

  @Test("is written back byte for byte")
  func bytes() throws {
    #expect(try ProtocolSchema().text == String(contentsOfFile: LineJudge.schema, encoding: .utf8))
  }
}
