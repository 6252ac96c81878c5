import Flux
import PodfluxCore
import TestSupport

/// Actions about feeds and episodes.
extension RandomActions {
  /// How many kinds of them there are.
  static let podcastKinds = 17

  mutating func podcastAction(_ kind: Int) -> Action {
    switch kind {
    case 0:
      .podcasts(
        .subscribe(.init(id: maybe { $0.feedID() }, address: address(), wishes: wishes(), session: sessionChoice())))
    case 1: .podcasts(.unsubscribe(feedID(), deletingFiles: once(in: 2)))
    case 2: .podcasts(.update(feedID(), feedUpdate()))
    case 3: .podcasts(.refresh(pick([.all, .one(feedID()), .many([feedID(), feedID()]), .many([])])))
    case 14: .podcasts(.importDocument(.text(text())))
    case 15: .podcasts(.importDocument(.file(label())))
    case 16: .refresh(RefreshReport(refresh: refreshID(), news: .described(podcast())))
    case 4: .podcasts(.import(list()))
    case 5: .podcasts(.download(episodes()))
    case 6: .podcasts(.mark(episodes(), .init(isPlayed: true, isFavorite: maybe { $0.once(in: 2) })))
    default: .refresh(RefreshReport(refresh: refreshID(), news: refreshNews(kind - 7), fetched: pick([0, length()])))
    }
  }

  private mutating func refreshNews(_ kind: Int) -> RefreshReport.News {
    switch kind {
    case 0: .appeared(many(upTo: 5) { $0.content() })
    case 1:
      .changed(
        many(upTo: 5) {
          .init(id: $0.episodeID(), content: $0.content(), formerNames: $0.formerNames())
        })
    case 2: .listed(missing: many(upTo: 5) { $0.episodeID() }, returned: many(upTo: 5) { $0.episodeID() })
    case 3: .moved(address())
    case 4:
      .refreshed(
        .init(
          podcast: maybe { $0.podcast() }, validators: validators(), next: moment(), hasGap: Bool.random(using: &random)
        ))
    case 5: .failed(error(), next: moment())
    default: .stopped
    }
  }

  private mutating func feedID() -> FeedID { FeedID(from: &random) }

  private mutating func episodeID() -> EpisodeID { EpisodeID(number: pick([1, 77, EpisodeID.numbers.upperBound])) }

  private mutating func refreshID() -> FeedRefresh.ID { .init(feed: feedID(), generation: number()) }

  private mutating func wishes() -> Feed.Wishes {
    .init(
      title: maybe { $0.label() }, group: maybe { $0.label() }, userAgent: maybe { $0.pick(["", "Agent/1 (\"x\")"]) },
      network: pick(NetworkPolicy.allCases), isPaused: once(in: 2), filenameTemplate: maybe { $0.template() },
      rules: rules())
  }

  private mutating func template() -> NameTemplate {
    let text = pick(["", "{podcast}/[{date} ]{title}", "\u{E9}\"{guid}"])
    return (try? NameTemplate(validating: text)) ?? .standard
  }

  private mutating func rules() -> FeedRules {
    .init(
      autoDownload: maybe {
        .init(
          since: $0.pick(FeedRules.Since.allCases), newest: $0.maybe { $0.pick([0, 3, 1_000_000]) },
          order: $0.pick(FeedRules.Order.allCases), condition: $0.condition(upTo: 2))
      },
      keep: maybe {
        .init(
          newest: $0.maybe { $0.pick([1, 1_000_000]) }, days: $0.maybe { $0.pick([1, 36_500]) },
          bytes: $0.maybe { $0.pick([1, 1 << 53]) })
      })
  }

  private mutating func feedUpdate() -> PodcastIntent.Update {
    var update = PodcastIntent.Update()
    update.isPaused = once(in: 2)
    update.address = maybe { $0.address() }
    update.title = maybe { $0.label() }
    update.group = maybe { $0.label() }
    update.userAgent = maybe { $0.pick(["", "A"]) }
    update.network = maybe { $0.pick(NetworkPolicy.allCases) }
    update.filenameTemplate = maybe { $0.template() }
    update.rules = maybe { $0.rules() }
    return update
  }

  private mutating func list() -> PodcastIntent.FeedList {
    .init(
      feeds: many(upTo: 4) {
        .init(address: $0.address(), title: $0.maybe { $0.label() }, group: $0.maybe { $0.label() })
      },
      rejected: many(upTo: 3) { .init(url: $0.text(), code: $0.pick(Refusal.Code.allCases)) })
  }

  private mutating func episodes() -> PodcastIntent.EpisodeSelection {
    pick([.one(episodeID()), .many([episodeID(), episodeID()]), .matching(condition(upTo: 2))])
  }

  /// A condition whose parts are in the order in which a line is read, each key once.
  private mutating func condition(upTo depth: Int) -> EpisodeCondition {
    var parts: [EpisodeCondition] = []
    func add(_ part: EpisodeCondition?) { if let part { parts.append(part) } }
    add(maybe { .feeds([$0.feedID(), $0.feedID()]) })
    add(maybe { .podcasts([$0.label()]) })
    add(maybe { _ in .states([.completed, .failed]) })
    add(maybe { _ in .media([.video]) })
    add(maybe { .played($0.once(in: 2)) })
    add(maybe { .favorite($0.once(in: 2)) })
    add(maybe { .archived($0.once(in: 2)) })
    add(maybe { _ in .titleContains(["a\"", "b"]) })
    add(maybe { _ in .not(.titleContains(["é"])) })
    add(maybe { _ in .seasons([-1, 3]) })
    add(maybe { _ in .kinds([.bonus, .full]) })
    add(
      maybe {
        .published(
          after: Timestamp(milliseconds: 1_700_000_000_000),
          before: $0.maybe { _ in Timestamp(milliseconds: 1_800_000_000_000) })
      })
    add(maybe { _ in .newerThanDays(3) })
    add(maybe { _ in .olderThanDays(4) })
    add(maybe { .bytes(atLeast: 1, atMost: $0.maybe { $0.length() }) })
    add(maybe { .seconds(atLeast: $0.maybe { $0.length() }, atMost: 7) })
    if depth > 0 {
      add(maybe { .not($0.nested(depth)) })
      add(maybe { .any([$0.condition(upTo: depth - 1), $0.condition(upTo: depth - 1)]) })
    }
    return parts.count == 1 ? parts[0] : .all(parts)
  }

  /// A condition that, excluded, is no other form of excluded titles.
  private mutating func nested(_ depth: Int) -> EpisodeCondition {
    let condition = condition(upTo: depth - 1)
    if case .titleContains = condition { return .played(true) }
    return condition
  }

  private mutating func content() -> EpisodeContent {
    EpisodeContent(
      guid: maybe { $0.text() }, title: maybe { $0.text() }, published: maybe { $0.publicationDate() },
      link: maybe { $0.address() }, seconds: maybe { $0.number() }, season: maybe { $0.pick([.min, -1, 4, .max]) },
      number: maybe { $0.pick(["3", "204.5"]) }, kind: maybe { $0.pick(EpisodeContent.Kind.allCases) },
      enclosure: maybe {
        .init(address: $0.address(), mediaType: $0.maybe { $0.text() }, length: $0.maybe { $0.number() })
      },
      alternates: many(upTo: 2) { random in
        .init(
          addresses: [random.address(), random.address()], mediaType: random.maybe { $0.text() },
          length: random.maybe { $0.number() }, title: random.maybe { $0.text() },
          integrity: random.maybe { _ in Integrity("sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=") } ?? nil,
          isEnclosure: random.once(in: 2))
      }, chapters: maybe { $0.address() }, transcript: maybe { $0.address() },
      image: maybe { $0.address() }, notes: maybe { EpisodeNotes($0.pick(["", "<p>a \"b\" &amp;\n\tc</p>"])) })
  }

  private mutating func formerNames() -> EpisodeTraces.FormerNames {
    .init(guids: many(upTo: 3) { $0.text() }, enclosures: many(upTo: 3) { $0.address() })
  }

  private mutating func podcast() -> PodcastContent {
    .init(
      title: maybe { $0.text() }, link: maybe { $0.text() }, image: maybe { $0.text() },
      description: maybe { $0.text() }, language: maybe { $0.text() }, author: maybe { $0.text() },
      guid: maybe { $0.text() })
  }

  private mutating func validators() -> FeedValidators {
    .init(
      entityTag: maybe { _ in "W/\"a\\\"" }, lastModified: maybe { $0.text() }, bodyHash: maybe { $0.text() },
      fullBodyAt: maybe { $0.moment() }, isDistrusted: once(in: 2), hasNotes: once(in: 2))
  }
}
