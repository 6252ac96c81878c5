extension Sabotage {
  /// What goes wrong besides: what cannot concern it only makes it take longer to be found.
  public var faults: FaultKinds {
    switch self {
    case .publishForgotten: .crashes
    case .renameReplaces: [.names, .people]
    case .earlierMoveOverlooked: [.names, .crashes]
    case .newNameForgotten: .names
    case .orphanByNameOnly, .linkFollowed, .missingNotRechecked, .unreadableTakenForEmpty, .everythingGoneIgnored,
      .writeDuringReadOverlooked, .placeTakenTwice, .editTakenForDamage:
      .people
    case .orphanNotRechecked: [.people, .hardLinks]
    case .quarantineADayEarly: [.people, .clock]
    case .failedWriteAcknowledged: .disk
    case .wholeAppendedToPartial: [.network, .protocols]
    case .generationNotChecked: [.network, .paths, .repetition]
    case .routeForgotten: .paths
    case .policyIgnored, .pathChangeIgnored, .trafficForgotten: .all.subtracting(.feeds)
    case .answeredTwice, .suspensionUnanswered, .servicesOutliveSuspension, .deadlineLost, .factsCommittedAgain,
      .remainingForgotten:
      .all.subtracting([.paths, .feeds])
    case .cutDocumentBelieved, .cutValidatorsKept: [.feeds, .network]
    case .refreshPageLost: [.feeds, .commits]
    case .refreshNeverEnds, .refreshStopLost, .feedPolicyIgnored: [.feeds, .paths]
    case .refreshGenerationNotChecked: [.feeds, .repetition]
    case .feedAlarmLost: [.feeds, .clock]
    case .episodesForgotten, .formerNamesForgotten, .guidAloneBelieved, .fingerprintsForgotten, .refreshPageTwice,
      .distrustForgotten,
      .anyMoveBelieved, .missingNotMarked, .returnNotMarked, .downloadGoesWithEpisode, .goneForgotten, .goneIgnored,
      .headersFollowMove, .failingGivenUp, .refreshedTooSoon, .freshAddressIgnored:
      .feeds
    case .removedForgotten, .lineForgotten, .keepCountsAll, .favoriteForgotten, .quotaForgotten, .quotaTakesNewest,
      .quotaTakesMore:
      [.feeds, .rules]
    case .sidecarReplaces, .sidecarStays: .sidecars
    case .sidecarTakenForOrphan, .sidecarFetchedAgain: [.sidecars, .people]
    case .adoptDoubtful, .adoptTouches, .adoptUnplanned: [.feeds, .adopting]
    case .adoptClaimed: [.feeds, .adopting, .people]
    case .agesForgotten: [.feeds, .filters, .clock]
    case .tagsInPlace, .tagsHalfCopy, .tagsDigestReplaced, .tagsUnsynced: .tags
    case .tagsTwice: [.tags, .foreignFiles]
    case .twoRefreshes, .parkedForgotten, .oldTokenKept, .credentialsFollow: .sessions
    default: .all.subtracting([.paths, .suspensions, .feeds])
    }
  }
}
