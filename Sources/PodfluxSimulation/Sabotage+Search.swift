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
    case .adoptTouches, .answeredTwice, .downloadGoesWithEpisode, .effectBeforeCommit, .factsCommittedAgain,
      .factsLost, .feedPolicyIgnored, .generationNotChecked, .notesUnread, .partialOfAnother, .planThatActs,
      .sidecarTakenForOrphan:
      2
    case .checkpointForgotten, .commandCleansUp, .counterDrift, .episodesForgotten, .holdForgotten, .hostLimitIgnored,
      .noTruncation, .overlapNotCompared, .returnNotMarked, .sidecarReplaces, .tagsShowHalf:
      3
    case .acknowledgedTooEarly, .furtherForgotten, .wordsIgnored: 4
    case .headersEverywhere, .notesNotWanted: 5
    case .downloadShared, .keepCountsAll, .publishReplaces, .retryAfterForgotten, .sidecarStays: 6
    case .digestNotChecked, .refreshStopLost: 7
    case .namesakeTaken, .otherPodcastBelieved, .quotaSearchedOnce, .refreshGenerationNotChecked: 8
    case .earlierMoveOverlooked: 9
    case .anyFolderTaken: 10
    case .adoptUnplanned: 11
    case .goneForgotten, .goneIgnored, .truncatedTooEarly: 12
    case .quotaTakesNewest, .tagsTwice, .unreadableTakenForEmpty: 13
    case .editTakenForDamage, .sidecarStopLost: 14
    case .oldTokenKept, .secretInAddress: 15
    case .farRefreshesKept, .farRetriesKept, .formerNamesForgotten: 18
    case .newNameForgotten: 19
    case .actionUnlogged, .agesForgotten, .distrustForgotten: 20
    case .quarantineDeletes: 24
    case .arrivingSecretSwept: 25
    case .commandDeletesOwed: 26
    case .suspensionUnanswered: 28
    case .pageCacheTrusted, .quotaTakesMore: 30
    case .anyMoveBelieved: 31
    case .guidAloneBelieved: 32
    case .coverGoes, .orphanByNameOnly: 36
    case .damageOverlooked: 40
    case .missingNotRechecked, .routeForgotten: 41
    case .freshAddressIgnored: 52
    case .adoptClaimed: 54
    case .everythingGoneIgnored: 70
    case .gateLeftOpen: 80
    case .pathChangeIgnored: 82
    case .wholeAppendedToPartial: 83
    case .editUnseen: 86
    case .partsNotLeft: 96
    case .gapForgotten: 112
    case .placeTakenTwice: 123
    case .quarantineADayEarly: 147
    case .editForgotten: 151
    case .orphanNotRechecked, .writeDuringReadOverlooked: 220
    case .favoriteForgotten: 252
    case .publishForgotten: 351
    default: 1
    }
  }
}
