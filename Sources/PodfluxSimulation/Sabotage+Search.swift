/// In which worlds a mistake is searched.
extension Sabotage {
  /// What goes wrong besides: what cannot concern it only makes it take longer to be found.
  package var faults: FaultKinds {
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

  /// The first seed that is searched for it: the one that found it when this was written, in a search from 1 on or from
  /// an earlier such seed. A change of what worlds draw makes the search longer, not wrong.
  package var firstSeed: UInt64 {
    switch self {
    case .headersEverywhere, .notesNotWanted: 5
    case .digestNotChecked, .downloadShared, .quotaSearchedOnce, .sidecarStays: 6
    case .oldTokenKept: 7
    case .farRefreshesKept, .namesakeTaken: 8
    case .earlierMoveOverlooked, .tagsTwice: 9
    case .anyFolderTaken, .formerNamesForgotten, .quotaTakesNewest: 10
    case .adoptUnplanned: 11
    case .editTakenForDamage, .farRetriesKept, .sidecarStopLost, .truncatedTooEarly: 12
    case .unreadableTakenForEmpty: 13
    case .damageOverlooked: 14
    case .newNameForgotten, .secretInAddress: 15
    case .agesForgotten: 16
    case .anyMoveBelieved, .quarantineDeletes: 18
    case .actionUnlogged, .coverGoes, .distrustForgotten: 20
    case .arrivingSecretSwept: 21
    case .partsNotLeft: 23
    case .suspensionUnanswered: 24
    case .pathChangeIgnored: 25
    case .guidAloneBelieved, .orphanByNameOnly: 29
    case .pageCacheTrusted, .quotaTakesMore: 30
    case .missingNotRechecked, .routeForgotten: 41
    case .freshAddressIgnored: 45
    case .adoptClaimed: 53
    case .everythingGoneIgnored: 70
    case .gateLeftOpen: 76
    case .editUnseen: 80
    case .wholeAppendedToPartial: 83
    case .gapForgotten: 84
    case .quarantineADayEarly: 108
    case .placeTakenTwice: 121
    case .orphanNotRechecked: 220
    case .publishForgotten: 324
    case .favoriteForgotten: 568
    case .editForgotten: 605
    case .writeDuringReadOverlooked: 989
    case .commandDeletesOwed: 2204
    default: 1
    }
  }
}
