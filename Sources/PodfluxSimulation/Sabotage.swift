/// Mistakes that engines of this kind have really made. Each is built into what surrounds the stores, by name, to see
/// whether the checks find it: a checker that finds nothing might look at nothing.
public enum Sabotage: String, CaseIterable, Sendable {
  /// A checkpoint is reported before the bytes are synced.
  case rowBeforeData = "row-before-data"
  /// A checkpoint is reported before the new file's entry in its folder is synced.
  case entryNotSynced = "entry-not-synced"
  /// What an ended attempt says is taken for the present one's word.
  case generationNotChecked = "generation-not-checked"
  /// The whole file, sent instead of the rest, is appended to what is kept.
  case wholeAppendedToPartial = "whole-appended-to-partial"
  /// An attempt that was told to stop never says that it has ended.
  case slotLeakedOnCancel = "slot-leaked-on-cancel"
  /// A retry begins from nothing although bytes are kept.
  case retryForgetsResume = "retry-forgets-resume"
  /// Changing many downloads at once miscounts them.
  case counterDrift = "counter-drift"
  /// After a restart the limit for each host is not obeyed.
  case hostLimitIgnored = "host-limit-ignored-after-restart"
  /// Effects are carried out although their commit failed.
  case effectBeforeCommit = "effect-before-commit"
  /// What services found out is forgotten when its commit fails.
  case factsLost = "facts-lost-at-failed-commit"
  /// A file that changed is not cut before the new version is written.
  case noTruncation = "no-truncation-on-restart"
  /// The overlap is taken for equal without a look.
  case overlapNotCompared = "overlap-not-compared"
  /// After a reboot the partial's length is believed as if the page cache had survived.
  case pageCacheTrusted = "page-cache-trusted-after-reboot"
  /// Publishing replaces a file that has the name.
  case publishReplaces = "publish-replaces-foreign-file"
  /// Names that differ in case only are taken for different ones.
  case twinsOverlooked = "case-twins-overlooked"
  /// What a cancelled download left is deleted while its attempt still runs.
  case deletionWhileAlive = "deletion-while-alive"
  /// A start does not look whether a file that was being published stands at its place.
  case publishForgotten = "publish-forgotten-at-recovery"
  /// Kept bytes are thrown away before the row has forgotten them.
  case truncatedTooEarly = "truncated-before-the-row-knows"
  /// The file gets its name before the row knows it.
  case publishedTooEarly = "published-before-the-row-knows"
  /// The file gets its name before its contents are synced.
  case publishedUnsynced = "published-before-its-contents-are-synced"
  /// After a failed sync the next one is believed.
  case syncFailureForgotten = "sync-failure-forgotten"
  /// The digest of the complete file is not compared with the one that its client knows.
  case digestNotChecked = "digest-not-checked"
  /// The alarm clock is lost.
  case wakeLost = "wake-lost"
  /// An action is acknowledged although its commit failed.
  case acknowledgedTooEarly = "acknowledged-before-commit"
  /// A download that is enqueued again starts while its namesake's remains are still being deleted.
  case holdForgotten = "hold-forgotten"

  /// Each file that is read again is said to be intact.
  case damageOverlooked = "damage-overlooked"
  /// What is to go to quarantine is deleted.
  case quarantineDeletes = "quarantine-deletes"

  /// Whether a file has become a download's since it was found is not asked when it is taken away.
  case orphanNotRechecked = "orphan-not-rechecked"
  /// A file is taken away by its name, whichever file that is by now.
  case orphanByNameOnly = "orphan-by-name-only"
  /// Whether a lost file is back is not asked when its download goes.
  case missingNotRechecked = "missing-not-rechecked"
  /// What was decided is done before it is committed.
  case stepBeforeItsRow = "step-before-its-row"
  /// All files are gone at once, and all downloads are given up.
  case everythingGoneIgnored = "everything-gone-ignored"
  /// A plan is carried out.
  case planThatActs = "plan-that-acts"

  /// A cleanup takes files away without a request that allows it.
  case wordsIgnored = "words-ignored"
  /// A file that a person has edited is taken for damaged.
  case editTakenForDamage = "edit-taken-for-damage"
  /// Any folder that has become empty is removed.
  case anyFolderTaken = "any-folder-taken"
  /// A row follows its file to a place that another row has.
  case placeTakenTwice = "place-taken-twice"

  /// Links are followed.
  case linkFollowed = "link-followed"
  /// A folder that cannot be read is taken for an empty one.
  case unreadableTakenForEmpty = "unreadable-taken-for-empty"
  /// What was put aside leaves the quarantine a day early.
  case quarantineADayEarly = "quarantine-a-day-early"
  /// The partial file of a download is taken for a stray.
  case partialTakenForStray = "partial-taken-for-stray"
  /// What is written to a file while it is read is overlooked.
  case writeDuringReadOverlooked = "write-during-read-overlooked"

  /// A transfer that may use one device only is bound to none.
  case routeForgotten = "route-forgotten"
  /// A download that may use unmetered paths only is started on any path.
  case policyIgnored = "policy-ignored"
  /// No attempt is stopped when the path changes.
  case pathChangeIgnored = "path-change-ignored"
  /// What came over cellular is not counted.
  case trafficForgotten = "traffic-forgotten"

  /// A checkpoint is reported while its sync still runs.
  case syncNotAwaited = "sync-not-awaited"
  /// A write that fails is acknowledged.
  case failedWriteAcknowledged = "failed-write-acknowledged"
  /// The last sync of a stopped attempt is forgotten.
  case stopForgetsToSync = "stop-forgets-to-sync"
  /// An attempt ends twice.
  case endedTwice = "ended-twice"
  /// What the store agrees to never reaches the attempt.
  case proceedLost = "proceed-lost"
  /// Attempts go on writing when the library is given up.
  case gateLeftOpen = "gate-left-open"

  /// A client's headers go to its mirrors too.
  case headersEverywhere = "headers-everywhere"

  /// A request that has to wait for the end of a suspension is handled twice.
  case answeredTwice = "answered-twice"
  /// A suspension that comes while another is under way is forgotten.
  case suspensionUnanswered = "suspension-unanswered"
  /// Services go on when the library has been given up.
  case servicesOutliveSuspension = "services-outlive-suspension"
  /// Attempts that were told to stop are waited for without a limit.
  case deadlineLost = "deadline-lost"
  /// Facts are delivered again although they have been committed meanwhile.
  case factsCommittedAgain = "facts-committed-again"
  /// What is left is counted when the database has been closed.
  case remainingForgotten = "remaining-forgotten"

  /// A refresh does not know the episodes again that were gone from their feed.
  case episodesForgotten = "episodes-forgotten"
  /// The guids and addresses that episodes had before are forgotten.
  case formerNamesForgotten = "former-names-forgotten"
  /// An episode that was gone from its feed is known again by its guid alone.
  case guidAloneBelieved = "guid-alone-believed"
  /// Each episode that is read counts as changed.
  case fingerprintsForgotten = "fingerprints-forgotten"
  /// A page of a refresh is told twice.
  case refreshPageTwice = "refresh-page-twice"
  /// A refresh goes on although the commit of what it has told failed.
  case refreshPageLost = "refresh-page-lost"
  /// A document that was cut off is taken for a whole one.
  case cutDocumentBelieved = "cut-document-believed"
  /// The validators of a document that was cut off are kept.
  case cutValidatorsKept = "cut-validators-kept"
  /// That a server lies about its feed is forgotten.
  case distrustForgotten = "distrust-forgotten"

  /// A feed moves to wherever it is said to be.
  case anyMoveBelieved = "any-move-believed"
  /// Episodes that have left their feed are not marked.
  case missingNotMarked = "missing-not-marked"
  /// Episodes that are in their feed again stay marked.
  case returnNotMarked = "return-not-marked"
  /// A download is forgotten when its episode has left the feed.
  case downloadGoesWithEpisode = "download-goes-with-episode"
  /// A download that its server has refused stays so when its feed says where the file is by now.
  case freshAddressIgnored = "fresh-address-ignored"
  /// A feed that is gone for good is forgotten with its episodes.
  case goneForgotten = "gone-forgotten"
  /// A feed that is gone for good is asked for again and again.
  case goneIgnored = "gone-ignored"
  /// A feed with headers of its client moves to another origin, which gets them.
  case headersFollowMove = "headers-follow-move"

  /// A feed that fails is given up.
  case failingGivenUp = "failing-feed-given-up"
  /// The alarm clock of the feeds is lost.
  case feedAlarmLost = "feed-alarm-lost"
  /// Feeds are refreshed a day before they are due.
  case refreshedTooSoon = "refreshed-too-soon"
  /// Feeds that may use unmetered paths only are refreshed over any path.
  case feedPolicyIgnored = "feed-policy-ignored"
  /// A refresh that was told to stop never says that it has ended.
  case refreshNeverEnds = "refresh-never-ends"
  /// A refresh is never told to stop.
  case refreshStopLost = "refresh-stop-lost"
  /// What an ended refresh says is taken for the present one's word.
  case refreshGenerationNotChecked = "refresh-generation-not-checked"

  /// A file that gets another name replaces what has the name.
  case renameReplaces = "rename-replaces"
  /// After a crash a file that was moved already is taken for one that is gone.
  case earlierMoveOverlooked = "earlier-move-overlooked"
  /// When a download is removed while its file is moved, only its former name is deleted.
  case newNameForgotten = "new-name-forgotten"

  /// A rule forgets what had a download before.
  case removedForgotten = "removed-forgotten"
  /// A rule takes what was there for new.
  case lineForgotten = "line-forgotten"
  /// A rule takes all that is here for too large.
  case keepCountsAll = "keep-counts-all"
  /// A rule takes favorites for others.
  case favoriteForgotten = "favorite-forgotten"
  /// Rules free nothing for the storage quota.
  case quotaForgotten = "quota-forgotten"
  /// Rules free the newest episodes for the storage quota.
  case quotaTakesNewest = "quota-takes-newest"
  /// Rules free more than the storage quota needs.
  case quotaTakesMore = "quota-takes-more"

  /// A file that may be an episode's is taken for it.
  case adoptDoubtful = "adopt-doubtful"
  /// A file is adopted that another download has.
  case adoptClaimed = "adopt-claimed"
  /// A file that is adopted gets another time.
  case adoptTouches = "adopt-touches"
  /// What is adopted was not planned.
  case adoptUnplanned = "adopt-unplanned"

  /// A day begins, and no episode grows older.
  case agesForgotten = "ages-forgotten"

  /// Tags are written into the file that was downloaded.
  case tagsInPlace = "tags-in-place"
  /// A copy is published although tagging it has failed in the middle.
  case tagsHalfCopy = "tags-half-copy"
  /// The row takes the tagged copy's digest for that of what was downloaded.
  case tagsDigestReplaced = "tags-digest-replaced"
  /// A copy whose name turns out to be taken is tagged once more.
  case tagsTwice = "tags-twice"
  /// A tagged copy gets its name before it is synced.
  case tagsUnsynced = "tags-unsynced"
  /// A sidecar replaces a file that has its name.
  case sidecarReplaces = "sidecar-replaces"
  /// A sidecar is taken for a file that belongs to nothing.
  case sidecarTakenForOrphan = "sidecar-taken-for-orphan"
  /// The sidecars of a removed download stay.
  case sidecarStays = "sidecar-stays"
  /// A sidecar that a person has removed is fetched again.
  case sidecarFetchedAgain = "sidecar-fetched-again"

  /// Two tokens of a session are asked for at once.
  case twoRefreshes = "two-refreshes"
  /// A request that waits for its session is forgotten.
  case parkedForgotten = "parked-forgotten"
  /// When a token was renewed, requests still go with the former one.
  case oldTokenKept = "old-token-kept"
  /// Credentials follow a redirect to another host.
  case credentialsFollow = "credentials-follow"

  /// What the mistake is, in words.
  public var story: String {
    switch self {
    case .rowBeforeData: "a checkpoint is reported before the bytes are synced"
    case .entryNotSynced: "a checkpoint is reported while a power cut could still take the whole file"
    case .generationNotChecked: "what an ended attempt says is taken for the present one's word"
    case .wholeAppendedToPartial: "a 200 is appended to the partial as if it were the rest"
    case .slotLeakedOnCancel: "a stopped attempt never says that it has ended"
    case .retryForgetsResume: "a retry begins from nothing although bytes are kept"
    case .counterDrift: "changing many downloads at once miscounts them"
    case .hostLimitIgnored: "after a restart the per-host limit is not obeyed"
    case .effectBeforeCommit: "effects are carried out although their commit failed"
    case .factsLost: "what services found out is forgotten when its commit fails"
    case .noTruncation: "the old version is not cut away before the new one is written"
    case .overlapNotCompared: "the overlap is taken for equal without a look"
    case .pageCacheTrusted: "after a reboot unsynced bytes are believed"
    case .renameReplaces: "a renamed file replaces another one"
    case .earlierMoveOverlooked: "a file that was moved before a crash is taken for one that is gone"
    case .newNameForgotten: "a download is removed while its file is moved, and the file stays under its new name"
    case .sidecarReplaces: "a sidecar replaces another file of that name"
    case .sidecarTakenForOrphan: "a cleanup takes a sidecar away as an orphan"
    case .sidecarStays: "a download goes with its file, and its sidecars stay"
    case .sidecarFetchedAgain: "a sidecar that a person has removed is fetched once more"
    case .publishReplaces: "publishing replaces another file of that name"
    case .twinsOverlooked: "a file is published beside one whose name differs in case only"
    case .deletionWhileAlive: "a partial is deleted while its attempt still runs"
    case .publishForgotten: "a file whose rename survived a crash is not recognised"
    case .truncatedTooEarly: "kept bytes go before the row has forgotten them"
    case .publishedTooEarly: "the file gets its name before the row knows it"
    case .publishedUnsynced: "the file gets its name before its contents are synced"
    case .syncFailureForgotten: "a sync fails, the next one seems to succeed and is believed"
    case .digestNotChecked: "a complete file is published with any digest"
    case .wakeLost: "the alarm clock for retries is lost"
    case .acknowledgedTooEarly: "an action is acknowledged although its commit failed"
    case .holdForgotten: "a download starts while its namesake's remains are being deleted"
    case .damageOverlooked: "a damaged file is read again and said to be intact"
    case .quarantineDeletes: "a damaged file is deleted instead of being put aside"
    case .orphanNotRechecked: "a file that has become a download's is treated as no download's"
    case .orphanByNameOnly: "a file is put aside that is not the one which was found"
    case .missingNotRechecked: "a download is given up although its file is back"
    case .stepBeforeItsRow: "a step of a cleanup is carried out before its row is committed"
    case .everythingGoneIgnored: "a disk is not mounted, and all downloads are forgotten"
    case .planThatActs: "a plan of a cleanup changes files"
    case .wordsIgnored: "files of others are put aside, and no request allows it"
    case .editTakenForDamage: "an edited episode is said to be damaged"
    case .anyFolderTaken: "a person's folder is removed when it has become empty"
    case .placeTakenTwice: "one file becomes the file of two downloads"
    case .linkFollowed: "a file behind a link is taken away"
    case .unreadableTakenForEmpty: "downloads are given up whose folder cannot be read for a while"
    case .quarantineADayEarly: "a file leaves the quarantine a day early"
    case .partialTakenForStray: "the partial file of a live download is put aside"
    case .writeDuringReadOverlooked: "an episode that is edited while it is read is said to be damaged"
    case .routeForgotten: "a transfer moves to cellular between two actions"
    case .policyIgnored: "a download starts over a path that it may not use"
    case .pathChangeIgnored: "a transfer goes on over a path that has become metered"
    case .trafficForgotten: "bytes over cellular are not counted"
    case .answeredTwice: "a request that waits for the end of a suspension is handled twice"
    case .suspensionUnanswered: "a suspension while another is under way is never answered"
    case .servicesOutliveSuspension: "services go on when the library has been given up"
    case .deadlineLost: "a stop waits for attempts without a limit"
    case .factsCommittedAgain: "facts are delivered again although they have been committed"
    case .remainingForgotten: "the last word counts nothing, for the database is closed"
    case .syncNotAwaited: "a checkpoint is reported while its sync still runs"
    case .failedWriteAcknowledged: "the disk is full, and a write is said to have succeeded"
    case .stopForgetsToSync: "a stopped attempt reports bytes that it has not synced"
    case .endedTwice: "an attempt reports its end twice"
    case .proceedLost: "the store's permission never reaches the attempt"
    case .gateLeftOpen: "an attempt writes to a library that was given up"
    case .episodesForgotten: "an episode that is in its feed again becomes another one"
    case .formerNamesForgotten: "an episode that has its former guid again becomes another one"
    case .guidAloneBelieved: "an episode that has the guid of another one, long gone, is taken for it"
    case .refreshStopLost: "a refresh goes on over a path that it may not use any more"
    case .fingerprintsForgotten: "each refresh writes all episodes"
    case .refreshPageTwice: "what a refresh has found is added twice"
    case .refreshPageLost: "a commit fails, and a refresh goes on as if it had not"
    case .cutDocumentBelieved: "what was cut off from a feed counts as gone from it"
    case .cutValidatorsKept: "a feed whose beginning came counts as unchanged"
    case .distrustForgotten: "a server that has lied about its feed is believed again"
    case .anyMoveBelieved: "a subscription moves to another podcast's feed"
    case .missingNotMarked: "an episode has left its feed, and counts as there"
    case .returnNotMarked: "an episode is in its feed again, and counts as gone"
    case .downloadGoesWithEpisode: "an episode leaves its feed, and its download is forgotten"
    case .freshAddressIgnored: "a download is refused, and stays so although its episode is elsewhere by now"
    case .goneForgotten: "a feed is gone for good, and its episodes are forgotten"
    case .goneIgnored: "a feed that is gone for good is refreshed on"
    case .headersFollowMove: "a feed moves to another host, and its client's headers go there"
    case .failingGivenUp: "a feed that has failed twice is refreshed in ten years"
    case .feedAlarmLost: "the alarm clock for feeds is lost"
    case .refreshedTooSoon: "a feed is refreshed a day before it is due"
    case .feedPolicyIgnored: "a feed is refreshed over a path that it may not use"
    case .refreshNeverEnds: "a stopped refresh never says that it has ended"
    case .removedForgotten: "a person removes an episode, and a rule fetches it again"
    case .lineForgotten: "a rule is set, and all that was there comes"
    case .keepCountsAll: "a rule deletes what it has room for"
    case .favoriteForgotten: "a rule deletes a favorite"
    case .quotaForgotten: "files exceed the storage quota, and rules delete none"
    case .quotaTakesNewest: "the storage quota takes newer episodes before older ones"
    case .quotaTakesMore: "the storage quota takes more than it needs"
    case .adoptDoubtful: "an episode gets the file of another one"
    case .adoptClaimed: "a file becomes that of two downloads"
    case .adoptTouches: "adopting a file changes it"
    case .adoptUnplanned: "a plan to adopt lists nothing, and adopting does something"
    case .agesForgotten: "episodes are counted by the ages that they had on another day"
    case .tagsInPlace: "tags are written into the file that was downloaded"
    case .tagsHalfCopy: "a copy is published although its tagging has failed in the middle"
    case .tagsDigestReplaced: "the recorded digest becomes that of the tagged copy"
    case .tagsTwice: "a copy whose name is taken is tagged once more"
    case .tagsUnsynced: "a tagged copy gets its name, and a power cut could take its bytes"
    case .refreshGenerationNotChecked: "what an ended refresh says is taken for the present one's word"
    case .twoRefreshes: "two tokens of a session are asked for at once"
    case .parkedForgotten: "a download that waits for its session waits for ever"
    case .oldTokenKept: "a token is renewed, and requests go with the former one"
    case .credentialsFollow: "a redirect leads to another host, which gets the credentials"
    case .headersEverywhere: "a client's headers go to a mirror on another host"
    }
  }
}
