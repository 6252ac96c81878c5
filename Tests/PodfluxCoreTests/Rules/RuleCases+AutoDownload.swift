@testable import PodfluxCore

/// What is downloaded.
extension RuleCase {
  private static let five: [RuledEpisode] = [.e(1), .e(2), .e(3), .e(4), .e(5)]
  private static let new = RuleDecision.download(.isNew)

  static let autoDownload: [RuleCase] = [
    .init("no rule", .none, five, gives: [:]),
    .init("an empty feed", .auto(newest: 3), [], gives: [:]),
    .init(
      "a rule for new ones leaves what was there", .auto(), five,
      gives: [
        1: .leave(.wasThere), 2: .leave(.wasThere), 3: .leave(.wasThere), 4: .leave(.wasThere), 5: .leave(.wasThere),
      ]),
    .init(
      "newest 0 is a rule for new ones", .auto(newest: 0), [.e(1), .e(101)],
      gives: [1: .leave(.wasThere), 101: new]),
    .init(
      "newest 2 of five", .auto(newest: 2), five,
      gives: [
        5: .newest(1, of: 2), 4: .newest(2, of: 2), 3: .beyond(3, of: 2), 2: .beyond(4, of: 2), 1: .beyond(5, of: 2),
      ]
    ),
    .init(
      "newest 9 of two", .auto(newest: 9), [.e(1), .e(2)], gives: [2: .newest(1, of: 9), 1: .newest(2, of: 9)]),
    .init(
      "oldest 2 of five: a serial show begins at the beginning", .auto(newest: 2, order: .oldest), five,
      gives: [
        1: .oldest(1, of: 2), 2: .oldest(2, of: 2), 3: .beyond(3, of: 2, .oldest), 4: .beyond(4, of: 2, .oldest),
        5: .beyond(5, of: 2, .oldest),
      ]
    ),
    .init(
      "all that is there", .auto(.all), [.e(1), .e(2)], gives: [1: .download(.takesAll), 2: .download(.takesAll)]),
    .init(
      "all, but at most one", .auto(.all, newest: 1), [.e(1), .e(2)],
      gives: [2: .newest(1, of: 1), 1: .beyond(2, of: 1)]),
    .init(
      "all from the oldest", .auto(.all, order: .oldest), [.e(1), .e(2)],
      gives: [1: .download(.takesAll), 2: .download(.takesAll)]),
    .init("a new one", .auto(), [.e(101)], gives: [101: new]),
    .init(
      "each new one, however many", .auto(newest: 1), [.e(101), .e(102), .e(103), .e(9)],
      gives: [101: new, 102: new, 103: new, 9: .newest(1, of: 1)]),
    .init(
      "each new one of a serial show", .auto(newest: 1, order: .oldest), [.e(1), .e(2), .e(101)],
      gives: [1: .oldest(1, of: 1), 2: .beyond(2, of: 1, .oldest), 101: new]),
    .init(
      "a new one that is dated far back", .auto(), [.e(101, day: 3, backdated: true)],
      gives: [101: .leave(.isBackdated)]),
    .init(
      "a back-dated one takes no place of the newest", .auto(newest: 2),
      [.e(1), .e(2), .e(101, day: 9, backdated: true)],
      gives: [2: .newest(1, of: 2), 1: .newest(2, of: 2), 101: .leave(.isBackdated)]),
    .init(
      "back-dated ones, although all that was there is taken", .auto(.all), [.e(101, day: 3, backdated: true)],
      gives: [101: .leave(.isBackdated)]),
    .init("one that is dated in the future is new when it appears", .auto(), [.e(101, day: 40_000)], gives: [101: new]),
    .init(
      "one from the future that was there counts as added then", .auto(newest: 1),
      [.e(1, day: 40_000, added: 50), .e(2, day: 60, added: 70)], gives: [2: .newest(1, of: 1), 1: .beyond(2, of: 1)]),
    .init(
      "without dates the first of the document is the newest", .auto(newest: 1),
      [.e(1, day: 19_999), .e(2, day: 19_999)], gives: [1: .newest(1, of: 1), 2: .beyond(2, of: 1)]),
    .init(
      "of equal dates that one is newer which appeared later", .auto(newest: 1),
      [.e(1, day: 50, added: 60), .e(2, day: 50, added: 61)], gives: [2: .newest(1, of: 1), 1: .beyond(2, of: 1)]),
    .init(
      "one without a file has no place", .auto(newest: 1), [.e(1), .e(2, hasFile: false)],
      gives: [1: .newest(1, of: 1), 2: .leave(.hasNoFile)]),
    .init(
      "one that the condition leaves out has no place", .auto(newest: 1), [.e(1), .e(2, matches: false)],
      gives: [1: .newest(1, of: 1), 2: .leave(.isExcluded)]),
    .init(
      "a new one that the condition leaves out", .auto(), [.e(101, matches: false)], gives: [101: .leave(.isExcluded)]),
    .init(
      "one that has left the feed has no place", .auto(newest: 1), [.e(1), .e(2, missing: true)],
      gives: [1: .newest(1, of: 1), 2: .leave(.hasLeftFeed)]),
    .init(
      "a new one that has left the feed", .auto(), [.e(101, missing: true)], gives: [101: .leave(.hasLeftFeed)]),
    .init(
      "an old one that returns when it was decided", .auto(newest: 1), allowance: 0, [.e(1), .e(2)],
      gives: [2: .leave(.cameTooLate), 1: .beyond(2, of: 1)]),
    .init(
      "a new one that was away and returns is taken once", .auto(), [.e(101), .e(102, .requested)], gives: [101: new]),
    .init(
      "one that a person has archived", .auto(newest: 1), [.e(1, archived: true), .e(101, archived: true)],
      gives: [1: .leave(.isArchived), 101: .leave(.isArchived)]),
    .init(
      "an archived one has its place", .auto(newest: 1), [.e(1), .e(2, archived: true)],
      gives: [2: .leave(.isArchived), 1: .beyond(2, of: 1)]),
    .init(
      "what a person has removed is not fetched again, and no older one instead", .auto(newest: 1),
      [.e(1), .e(2, .gone)], gives: [2: .leave(.wasRemoved), 1: .beyond(2, of: 1)]),
    .init("a new one that was removed", .auto(), [.e(101, .gone)], gives: [101: .leave(.wasRemoved)]),
    .init("one that was removed, without a rule", .none, [.e(1, .gone)], gives: [:]),
    .init(
      "what a person has asked for has its place", .auto(newest: 1), [.e(1), .e(2, .requested)],
      gives: [1: .beyond(2, of: 1)]),
    .init(
      "what is on its way is not asked for again", .auto(newest: 2), [.e(1), .e(2, .ruled(.pending))],
      gives: [1: .newest(2, of: 2)]),
    .init("what has failed is not asked for again", .auto(newest: 1), [.e(2, .ruled(.failed))], gives: [:]),
    .init(
      "a raised limit takes no more than the limit", .auto(newest: 3),
      [.e(1), .e(2), .e(3), .here(4), .here(5)],
      gives: [3: .newest(3, of: 3), 2: .beyond(4, of: 3), 1: .beyond(5, of: 3)]),
    .init(
      "a lowered limit deletes nothing", .auto(newest: 1), [.here(1), .here(2), .e(3, .gone)],
      gives: [3: .leave(.wasRemoved)]),
    .init(
      "the allowance bounds what a pass in several turns takes", .auto(newest: 3), allowance: 1,
      [.e(1), .e(2), .e(3, .ruled(.pending))],
      gives: [2: .newest(2, of: 3), 1: .leave(.cameTooLate)]),
    .init(
      "a feed that was not read to its end", .auto(.all), watermark: nil, [.e(1), .e(2)],
      gives: [1: .leave(.isUnread), 2: .leave(.isUnread)]),
    .init("a feed without an episode when the rule was set", .auto(), watermark: 0, [.e(1)], gives: [1: new]),
  ]
}
