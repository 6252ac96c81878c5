import Flux
import PodfluxCore
import Testing

@testable import Feeds

@Suite("Validators of feeds")
struct ConditionalPolicyTests {
  private static let now = Timestamp(milliseconds: 1_700_000_000_000)
  private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
  private static let stored = FeedValidators(
    entityTag: "\"a\"", lastModified: date, bodyHash: "h1", fullBodyAt: now)

  private func condition(
    _ validation: FeedValidators, afterDays days: Int = 0, isAsked: Bool = false
  ) -> ConditionalPolicy.Condition? {
    ConditionalPolicy.condition(for: validation, at: Self.now.advanced(byDays: days), isAsked: isAsked)
  }

  private func after(
    _ body: ConditionalPolicy.Body, tag: String? = nil, date: String? = nil, before: FeedValidators = stored
  ) -> FeedValidators {
    ConditionalPolicy.afterBody(
      body, hash: "h2", entityTag: tag, lastModified: date, at: Self.now.advanced(byDays: 1), before: before)
  }

  @Test("Both validators are sent for a week after the whole body has come")
  func sending() {
    let both = ConditionalPolicy.Condition(entityTag: "\"a\"", modifiedSince: Self.date)
    #expect(condition(Self.stored) == both)
    #expect(condition(Self.stored, afterDays: 7) == both)
    #expect(condition(Self.stored, afterDays: 8) == nil)
    #expect(condition(ConditionalPolicy.afterNotModified(Self.stored), afterDays: 8) == nil)
    // The clock was set back.
    #expect(condition(Self.stored, afterDays: -1) == nil)
  }

  @Test("A body that is to be read again is so after a day, or when a client asks")
  func readingAgain() {
    var validation = Self.stored
    #expect(condition(validation, isAsked: true) != nil)
    validation.bodyHash = nil
    #expect(condition(validation) != nil && condition(validation, afterDays: 1) != nil)
    #expect(condition(validation, afterDays: 2) == nil && condition(validation, isAsked: true) == nil)
  }

  @Test("Nothing is asked for without a body, a moment or trust")
  func withholding() {
    #expect(condition(FeedValidators()) == nil)
    var validation = Self.stored
    validation.fullBodyAt = nil
    #expect(condition(validation) == nil)
    validation = Self.stored
    validation.isDistrusted = true
    #expect(condition(validation) == nil)
  }

  @Test(
    "Only an entity-tag of RFC 9110 is one",
    arguments: [
      ("\"a\"", true), ("W/\"a\"", true), ("\"\"", true), ("\"a!#~\"", true), ("\"é\"", true), ("abc", false),
      ("\"a", false), ("a\"", false), ("\"", false), ("", false), ("w/\"a\"", false), ("\"a b\"", false),
      ("\"a\"b\"", false), ("W/", false), ("W/a", false), ("\"a\"\r\nX: y", false), ("\"\u{7F}\"", false), ("*", false),
      ("\"" + String(repeating: "a", count: 1022) + "\"", true),
      ("\"" + String(repeating: "a", count: 1023) + "\"", false),
    ])
  func entityTags(text: String, isTag: Bool) {
    #expect(ConditionalPolicy.isEntityTag(text) == isTag)
    #expect(after(.changed, tag: text).entityTag == (isTag ? text : nil))
    var validation = Self.stored
    (validation.entityTag, validation.lastModified) = (text, nil)
    #expect((condition(validation) != nil) == isTag)
  }

  @Test(
    "Only a date of HTTP is sent, as it came",
    arguments: [
      (date, true), ("Sunday, 06-Nov-94 08:49:37 GMT", true), ("1994-11-06T08:49:37Z", false), ("0", false),
      ("", false),
      ("Sun, 06 Nov 1994 08:49:37 +0100", false),
    ])
  func dates(text: String, isDate: Bool) {
    #expect(after(.changed, date: text).lastModified == (isDate ? text : nil))
    var validation = Self.stored
    (validation.entityTag, validation.lastModified) = (nil, text)
    #expect(condition(validation)?.modifiedSince == (isDate ? text : nil))
  }

  @Test("A body renews the trust, and its validators replace the former")
  func renewal() {
    let next = after(.same, tag: "\"a\"", date: Self.date)
    #expect(next.fullBodyAt == Self.now.advanced(byDays: 1) && next.bodyHash == "h2" && !next.isDistrusted)
    #expect(condition(next, afterDays: 8) != nil)
    let changed = after(.changed, tag: "\"b\"")
    #expect(changed.entityTag == "\"b\"" && changed.lastModified == nil && !changed.isDistrusted)
  }

  @Test("Another body under the validators of the old ends the trust")
  func distrust() {
    #expect(after(.changed, tag: "\"a\"", date: "Mon, 07 Nov 1994 08:49:37 GMT").isDistrusted)
    #expect(after(.changed, tag: "W/\"a\"").isDistrusted)
    #expect(!after(.changed, tag: "\"b\"", date: Self.date).isDistrusted)
    #expect(!after(.equivalent, tag: "\"a\"").isDistrusted)
    #expect(!after(.same, tag: "\"a\"").isDistrusted)
    // A date alone counts only where no tag was: the server would have judged by the tag.
    #expect(!after(.changed, date: Self.date).isDistrusted)
    let dated = FeedValidators(lastModified: Self.date, bodyHash: "h1", fullBodyAt: Self.now)
    #expect(after(.changed, date: Self.date, before: dated).isDistrusted)
    #expect(!after(.changed, before: FeedValidators(bodyHash: "h1", fullBodyAt: Self.now)).isDistrusted)
    #expect(!after(.changed, before: FeedValidators()).isDistrusted)
  }

  @Test("Trust does not come back by itself")
  func permanence() {
    let distrusted = after(.changed, tag: "\"a\"")
    #expect(after(.changed, tag: "\"b\"", before: distrusted).isDistrusted)
    #expect(condition(distrusted, afterDays: 1) == nil)
  }
}
