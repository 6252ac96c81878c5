/// In which worlds a mistake is searched.
extension Sabotage {
  /// What goes wrong besides: what cannot concern it only makes it take longer to be found.
  public var faults: FaultKinds {
    switch self {
    case .publishForgotten: [.crashes, .powerCuts, .commits]
    case .renameReplaces: [.names, .people]
    case .earlierMoveOverlooked: [.names, .crashes]
    case .newNameForgotten: .names
    case .orphanByNameOnly, .linkFollowed, .missingNotRechecked, .unreadableTakenForEmpty, .everythingGoneIgnored,
      .writeDuringReadOverlooked, .placeTakenTwice, .editTakenForDamage:
      .people
    case .orphanNotRechecked: [.people, .hardLinks, .tags]
    case .quarantineADayEarly: [.people, .clock]
    case .failedWriteAcknowledged: .disk
    case .wholeAppendedToPartial: [.network, .protocols]
    case .generationNotChecked: [.network, .paths, .repetition]
    case .routeForgotten: [.paths, .network, .protocols]
    case .policyIgnored, .pathChangeIgnored, .trafficForgotten: .all.subtracting(.feeds)
    case .answeredTwice, .suspensionUnanswered, .servicesOutliveSuspension, .deadlineLost, .factsCommittedAgain,
      .remainingForgotten:
      .all.subtracting([.paths, .feeds])
    case .cutDocumentBelieved, .cutValidatorsKept, .cutRefreshSucceeds: [.feeds, .network]
    case .refreshPageLost: [.feeds, .commits]
    case .refreshNeverEnds, .refreshStopLost, .feedPolicyIgnored: [.feeds, .paths]
    case .refreshGenerationNotChecked: [.feeds, .repetition]
    case .feedAlarmLost: [.feeds, .clock]
    case .episodesForgotten, .formerNamesForgotten, .guidAloneBelieved, .fingerprintsForgotten, .refreshPageTwice,
      .distrustForgotten, .anyMoveBelieved,
      .missingNotMarked, .returnNotMarked, .downloadGoesWithEpisode, .goneForgotten, .goneIgnored,
      .headersFollowMove, .failingGivenUp, .refreshedTooSoon, .freshAddressIgnored, .downloadShared, .furtherForgotten,
      .gapForgotten, .namesakeTaken, .otherPodcastBelieved, .exchangeSlotKept, .exchangeSlotsIgnored:
      .feeds
    case .removedForgotten, .lineForgotten, .keepCountsAll, .favoriteForgotten, .quotaForgotten, .quotaTakesNewest,
      .quotaTakesMore, .quotaSearchedOnce:
      [.feeds, .rules]
    case .editForgotten, .editUnseen: [.feeds, .rules, .people]
    case .sidecarReplaces, .sidecarStays: .sidecars
    case .coverGoes: [.feeds, .sidecars]
    case .sidecarTakenForOrphan, .sidecarFetchedAgain: [.sidecars, .people]
    case .notesStale, .notesUnread, .notesNotWanted: [.feeds, .sidecars]
    case .adoptDoubtful, .adoptTouches: [.feeds, .adopting]
    case .adoptClaimed: [.feeds, .adopting, .people]
    case .adoptUnplanned: [.feeds, .adopting, .people, .names]
    case .agesForgotten: [.feeds, .filters, .clock]
    case .tagsInPlace, .tagsHalfCopy, .tagsDigestReplaced, .tagsUnsynced: .tags
    case .tagsTwice: [.tags, .foreignFiles]
    case .tagsShowHalf, .tagsNotAwaited: [.tags, .feeds]
    case .arrivingSecretSwept: [.sessions, .suspensions]
    case .secretStays: [.sessions, .crashes]
    case .twoRefreshes, .parkedForgotten, .oldTokenKept, .credentialsFollow, .secretInAddress: .sessions
    case .reachForgotten: [.feeds, .addresses]
    case .farRetriesKept: [.network, .years]
    case .farRefreshesKept: [.feeds, .network, .years]
    case .farSidecarsKept: [.feeds, .sidecars, .network, .years]
    case .commandDownloads, .commandCleansUp: [.commands, .crashes]
    case .commandDeletesOwed: [.commands, .feeds, .rules, .crashes, .years]
    case .checkpointForgotten: [.network, .disk, .crashes]
    case .sidecarStopLost: [.feeds, .sidecars, .paths]
    case .partsNotLeft: [.feeds, .tags, .network, .paths]
    default: .all.subtracting([.paths, .suspensions, .feeds])
    }
  }

  /// The first seed that is searched for it. No lower one found it when this was written: a change of what worlds draw
  /// makes the search longer, not wrong.
  public var firstSeed: UInt64 {
    switch self {
    case .agesForgotten, .earlierMoveOverlooked, .tagsTwice: 9
    case .newNameForgotten, .quotaTakesNewest: 10
    case .truncatedTooEarly: 11
    case .arrivingSecretSwept, .secretInAddress: 15
    case .anyMoveBelieved, .coverGoes, .quotaTakesMore: 16
    case .suspensionUnanswered: 17
    case .distrustForgotten: 19
    case .missingNotRechecked: 20
    case .adoptClaimed, .orphanByNameOnly, .pageCacheTrusted: 26
    case .guidAloneBelieved: 27
    case .routeForgotten: 41
    case .freshAddressIgnored: 45
    case .everythingGoneIgnored: 70
    case .gateLeftOpen: 76
    case .editUnseen: 80
    case .wholeAppendedToPartial: 82
    case .gapForgotten: 84
    case .quarantineADayEarly: 108
    case .placeTakenTwice: 121
    case .orphanNotRechecked: 220
    case .publishForgotten: 324
    case .editForgotten: 497
    case .favoriteForgotten: 568
    case .commandDeletesOwed: 631
    case .writeDuringReadOverlooked: 989
    default: 1
    }
  }
}
