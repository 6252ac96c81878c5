import Foundation
import PodfluxCore
import TestSupport
import Testing

@testable import WireProtocol

/// `PODFLUX_WRITE_REFERENCE=1` makes these tests write what they compare otherwise.
@Suite("The protocol's schema", .serialized)
struct SchemaTests {
  @Test("says of settings what their declarations say")
  func settings() throws {
    let told: [(String, JSONValue)] = [
      ("full", .members([("const", .boolean(true))])), ("store", .members([("const", .string("settings"))])),
    ]
    try expect { schema in
      schema["settings"] = ProtocolSchema.settings(areAllThere: true)
      schema["settingsPatch"] = ProtocolSchema.settings(areAllThere: false)
      schema["settingsState"] = ProtocolSchema.settings(areAllThere: true, beside: told)
    }
  }

  /// The choices and texts that several lines have, by their definitions' names.
  private static let values: [(String, ValueSchema)] = [
    ("byteCount", .integer(DownloadIntent.Enqueue.lengths)),
    ("classPolicy", .choice(NetworkPolicy.allCases.filter { $0 != .inherit }.map(\.rawValue))),
    ("cleanupFinding", .choice(of: CleanupStep.Finding.Kind.allCases)),
    ("downloadState", .choice(of: DownloadState.Kind.allCases)),
    ("episodeField", .choice(of: EpisodeField.allCases)),
    ("episodeFilterGroup", .choice(of: FilterCatalogue.groups(over: .episodes).map(\.id))),
    ("errorCode", .choice(of: DownloadError.Code.allCases)),
    ("feedField", .choice(of: FeedField.allCases)),
    ("feedGroup", .text(0...PodcastIntent.Limits.groupBytes)),
    ("feedUserAgent", .string(0...PodcastIntent.Limits.userAgentBytes, pattern: "^[ -~]*$")),
    ("filterGroup", .choice(of: FilterCatalogue.groups(over: .downloads).map(\.id))),
    ("filterSubject", .choice(of: FilterSubject.allCases)),
    ("itemField", .choice(of: ItemField.allCases)),
    ("label", .text(0...Field.maximumLabelBytes)),
    ("mirrors", .array(of: .definition("url"), count: 0...Field.maximumMirrors)),
    ("nameTemplate", .string(0...NameTemplate.maximumBytes)),
    ("networkPolicy", .choice(of: NetworkPolicy.allCases)),
    ("origin", .choice(of: Origin.allCases)),
    ("priority", .choice(of: Priority.allCases)),
    ("refusalCode", .choice(of: Refusal.Code.allCases)),
    ("searchText", .text(1...Condition.Limits.textBytes)),
    ("sessionState", .choice(of: SessionState.Kind.allCases)),
    ("storeName", .choice(of: StoreName.allCases)),
    ("waitingReason", .choice(of: WaitingReason.allCases)),
  ]

  @Test("has each choice, code and reason that is declared, and the limits of texts")
  func definitions() throws {
    try expect { schema in
      for (name, value) in Self.values { try schema.declare(name, as: value) }
      try schema.declare("optionalFeedCursor", asNullOr: FeedCursor.schema)
      try schema.declare("optionalEpisodeCursor", asNullOr: EpisodeCursor.schema)
    }
  }

  /// These have several shapes, which no rule of members says; `settings/update` has a definition of its own above.
  private static let byHand = ["downloads/move", "filters/toggle", "filters/selectGroup", "settings/update"]

  @Test("says of each line of a client what its form says")
  func requests() throws {
    try expect { schema in
      for form in RequestForm.all where !Self.byHand.contains(form.type) {
        try schema.declare(form)
      }
    }
  }

  @Test("has each key that is shown of an item, and says that a whole item has them all")
  func items() throws {
    try expect { schema in
      try schema.declare("item", asAllOf: "shownItem", ItemField.allCases.map(\.rawValue))
      try schema.declare("feedItem", asAllOf: "shownFeed", FeedField.allCases.map(\.rawValue))
      try schema.declare("episodeItem", asAllOf: "shownEpisode", EpisodeField.allCases.map(\.rawValue))
    }
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

  @Test("has each action and each announcement of the stream, with its payload")
  func stream() throws {
    let announced = ["downloads/removed", "downloads/started", "downloads/waiting"]
    let intents = RequestForm.all.filter(\.isIntent).map(\.type)
    let types = (ActionForm.facts.map(\.type) + intents + announced + ProtocolSchema.journal).sorted()
    try expect { schema in
      for fact in ActionForm.facts { try schema.declare(fact: fact) }
      try schema.declareStream(of: types)
    }
  }

  /// Expects that nothing in the schema differs from what the declarations say of it.
  private func expect(_ declare: (inout ProtocolSchema) throws -> Void) throws {
    let former = try ProtocolSchema()
    var schema = former
    try declare(&schema)
    guard schema.text != former.text else { return }
    let names = schema.definitions.filter { former[$0.key] != $0.value }.map(\.key)
    #expect(Repository.isWritingReference, "\(names) are not what PODFLUX_WRITE_REFERENCE=1 writes")
    if Repository.isWritingReference { try schema.write() }
  }

  @Test("is written back byte for byte")
  func bytes() throws {
    #expect(try ProtocolSchema().text == String(contentsOfFile: LineJudge.schema, encoding: .utf8))
  }
}
