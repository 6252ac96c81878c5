@testable import PodfluxCore

/// What is deleted, and what is not downloaded because it would be.
extension RuleCase {
  private static func keep(newest: Int? = nil, days: Int? = nil, bytes: Int64? = nil) -> FeedRules {
    FeedRules(keep: .init(newest: newest, days: days, bytes: bytes))
  }

  static let keep: [RuleCase] = [
    .init("nothing is deleted without a rule", .none, [.here(1), .here(2)], gives: [:]),
    .init("nothing is deleted without keep", .auto(), [.here(1), .here(2)], gives: [:]),
    .init("keep 2 of three", keep(newest: 2), [.here(1), .here(2), .here(3)], gives: [1: .tooMany(2)]),
    .init("keep 3 of three", keep(newest: 3), [.here(1), .here(2), .here(3)], gives: [:]),
    .init(
      "keep 1 of many, in one run", keep(newest: 1), [.here(1), .here(2), .here(3), .here(4)],
      gives: [1: .tooMany(1), 2: .tooMany(1), 3: .tooMany(1)]),
    .init(
      "a favorite stays and takes no place", keep(newest: 1), [.here(1, favorite: true), .here(2), .here(3)],
      gives: [2: .tooMany(1)]),
    .init(
      "a newer favorite takes no place", keep(newest: 1), [.here(1), .here(3, favorite: true)], gives: [:]),
    .init("what a person has asked for stays", keep(newest: 1), [.e(1, .requested), .here(2)], gives: [:]),
    .init("newer ones of a person take no place", keep(newest: 1), [.here(1), .e(2, .requested)], gives: [:]),
    .init("nothing that runs is deleted", keep(newest: 1), [.e(1, .ruled(.pending)), .here(2)], gives: [:]),
    .init("what has failed is left to a person", keep(newest: 1), [.e(1, .ruled(.failed)), .here(2)], gives: [:]),
    .init("what has failed takes no place", keep(newest: 1), [.here(1), .e(2, .ruled(.failed))], gives: [:]),
    .init(
      "what is on its way takes a place once it is here", keep(newest: 1), [.here(1), .e(2, .ruled(.pending))],
      gives: [1: .tooMany(1)]),
    .init(
      "until then nothing goes for it", keep(newest: 1), assuming: .present, [.here(1), .e(2, .ruled(.pending))],
      gives: [:]),
    .init(
      "what is queued is withdrawn where it would be deleted at once", keep(newest: 1), assuming: .present,
      [.e(1, .ruled(.untouched)), .here(2)], gives: [1: .tooMany(1)]),
    .init(
      "for newer ones that are queued, too", keep(newest: 1), assuming: .present,
      [.e(1, .ruled(.untouched)), .e(2, .ruled(.untouched)), .e(3, .ruled(.pending))],
      gives: [1: .tooMany(1), 2: .tooMany(1)]),
    .init(
      "by its bytes", keep(bytes: 15), assuming: .present, [.e(1, .ruled(.untouched)), .here(2)],
      gives: [1: .tooLarge(15)]),
    .init(
      "a favorite that is queued stays, and takes no place", keep(newest: 1), assuming: .present,
      [.e(1, .ruled(.untouched)), .e(2, .ruled(.untouched), favorite: true)], gives: [:]),
    .init("keep for 7 days", keep(days: 7), [.here(1, daysAgo: 8), .here(2, daysAgo: 6)], gives: [1: .tooOld(7)]),
    .init("at the end of the seventh day", keep(days: 7), [.here(1, daysAgo: 7)], gives: [1: .tooOld(7)]),
    .init("a favorite is never too old", keep(days: 7), [.here(1, daysAgo: 99, favorite: true)], gives: [:]),
    .init("what a person has asked for is never too old", keep(days: 1), [.e(1, .requested)], gives: [:]),
    .init(
      "an old episode that was downloaded today stays", keep(days: 7), [.here(1, daysAgo: 0)], gives: [:]),
    .init(
      "what is too old takes no place", keep(newest: 1, days: 7), [.here(1), .here(2, daysAgo: 9)],
      gives: [2: .tooOld(7)]),
    .init(
      "keep 25 bytes", keep(bytes: 25), [.here(1), .here(2), .here(3)], gives: [1: .tooLarge(25)]),
    .init("keep exactly what there is", keep(bytes: 30), [.here(1), .here(2), .here(3)], gives: [:]),
    .init("the newest stays, however large", keep(bytes: 25), [.here(1, bytes: 99)], gives: [:]),
    .init(
      "no older one stays behind one that did not fit", keep(bytes: 25),
      [.here(1, bytes: 5), .here(2, bytes: 20), .here(3)],
      gives: [2: .tooLarge(25), 1: .tooLarge(25)]),
    .init(
      "each limit holds", keep(newest: 2, bytes: 15), [.here(1), .here(2), .here(3)],
      gives: [2: .tooLarge(15), 1: .tooLarge(15)]),
    .init(
      "not fetched: keep 1 would delete it at once", .auto(newest: 2, keep: .init(newest: 1)), [.e(1), .e(2)],
      gives: [2: .newest(1, of: 2), 1: .wouldBeTooMany(1)]),
    .init(
      "not fetched: newer ones are here", .auto(.all, keep: .init(newest: 1)), [.e(1), .here(2)],
      gives: [1: .wouldBeTooMany(1)]),
    .init(
      "not fetched: newer ones are on their way", .auto(.all, keep: .init(newest: 1)),
      [.e(1), .e(2, .ruled(.pending))],
      gives: [1: .wouldBeTooMany(1)]),
    .init(
      "a new one takes the place of the oldest", .auto(keep: .init(newest: 2)), [.here(1), .here(2), .e(101)],
      gives: [101: .download(.isNew), 1: .tooMany(2)]),
    .init(
      "but only once it is here", .auto(keep: .init(newest: 2)), assuming: .present, [.here(1), .here(2), .e(101)],
      gives: [101: .download(.isNew)]),
    .init(
      "of many new ones those that are kept", .auto(keep: .init(newest: 1)), [.e(101), .e(102)],
      gives: [102: .download(.isNew), 101: .wouldBeTooMany(1)]),
    .init(
      "a new one that was passed over does not come back", .auto(keep: .init(newest: 1)),
      [.e(101, passed: .wouldExceed(.newest(1))), .e(102, .gone)],
      gives: [101: .wouldBeTooMany(1), 102: .leave(.wasRemoved)]),
    .init(
      "a rule that is set anew looks at what was passed over", .auto(newest: 1),
      [.e(1, passed: .wouldExceed(.newest(1)))],
      gives: [1: .newest(1, of: 1)]),
    .init(
      "not fetched: it would not fit", .auto(.all, keep: .init(bytes: 15)), [.e(1), .e(2)],
      gives: [2: .download(.takesAll), 1: .wouldBeTooLarge(15)]),
    .init(
      "a smaller older one does not slip in", .auto(.all, keep: .init(bytes: 15)), [.e(1, length: 1), .e(2), .e(3)],
      gives: [3: .download(.takesAll), 2: .wouldBeTooLarge(15), 1: .wouldBeTooLarge(15)]),
    .init(
      "a single one that is too large is fetched all the same", .auto(.all, keep: .init(bytes: 5)), [.e(1)],
      gives: [1: .download(.takesAll)]),
    .init(
      "one of unknown length", .auto(.all, keep: .init(bytes: 15)), [.e(1, length: nil), .e(2)],
      gives: [2: .download(.takesAll), 1: .download(.takesAll)]),
    .init(
      "a favorite that is here takes no place of what is fetched", .auto(.all, keep: .init(newest: 1)),
      [.e(1), .here(2, favorite: true)], gives: [1: .download(.takesAll)]),
    .init(
      "a favorite is fetched beside those that are kept", .auto(.all, keep: .init(newest: 1)),
      [.e(1, favorite: true), .e(2)], gives: [2: .download(.takesAll), 1: .download(.takesAll)]),
    .init(
      "keep for days keeps nothing from being fetched", .auto(.all, keep: .init(days: 1)), [.e(1)],
      gives: [1: .download(.takesAll)]),
    .init(
      "a serial show is kept by the newest, too", .auto(newest: 2, order: .oldest, keep: .init(newest: 1)),
      [.e(1), .e(2), .e(3)],
      gives: [2: .oldest(2, of: 2), 1: .wouldBeTooMany(1), 3: .beyond(3, of: 2, .oldest)]),
    .init(
      "what keep has deleted is not fetched again", .auto(.all, keep: .init(newest: 1)), [.e(1, .gone), .here(2)],
      gives: [1: .leave(.wasRemoved)]),
    .init(
      "numbers near their ends", .auto(.all, keep: .init(bytes: .max)), [.e(1, length: .max), .e(2, length: .max)],
      gives: [2: .download(.takesAll), 1: .download(.takesAll)]),
  ]
}
