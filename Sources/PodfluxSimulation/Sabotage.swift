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
  case requestWhilePublishing = "request-while-publishing"
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
  /// A refresh whose document was cut off counts as one of the whole feed.
  case cutRefreshSucceeds = "cut-refresh-succeeds"
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
  /// A refresh that has ended keeps its slot.
  case exchangeSlotKept = "exchange-slot-kept"
  /// Refreshes do not wait for slots.
  case exchangeSlotsIgnored = "exchange-slots-ignored"
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

  /// A new item is taken for the episode of the same title and date that stands further down.
  case namesakeTaken = "namesake-taken"
  /// The first refresh of a feed reads its first document only.
  case furtherForgotten = "further-forgotten"
  /// A feed becomes another podcast's as soon as its server sends that.
  case otherPodcastBelieved = "other-podcast-believed"
  /// What a refresh has read before it failed counts as all that is new.
  case gapForgotten = "gap-forgotten"

  /// A rule forgets what had a download before.
  case removedForgotten = "removed-forgotten"
  /// A rule takes what was there for new.
  case lineForgotten = "line-forgotten"
  /// A rule takes all that is here for too large.
  case keepCountsAll = "keep-counts-all"
  /// A rule takes favorites for others.
  case favoriteForgotten = "favorite-forgotten"
  /// A rule takes a file that a person has changed for the one that it has fetched.
  case editForgotten = "edit-forgotten"
  /// A rule does not look whether a person has changed a file since the engine saw it last.
  case editUnseen = "edit-unseen"
  /// Rules free nothing for the storage quota.
  case quotaForgotten = "quota-forgotten"
  /// Rules free the newest episodes for the storage quota.
  case quotaTakesNewest = "quota-takes-newest"
  /// Rules free more than the storage quota needs.
  case quotaTakesMore = "quota-takes-more"
  /// A search for room that was once in vain is believed for ever.
  case quotaSearchedOnce = "quota-searched-once"

  /// An episode gets the download of another one of its feed whose file has the same address.
  case downloadShared = "download-shared"

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
  /// Half of a picture or of chapters, whose connection broke, is shown by tags.
  case tagsShowHalf = "tags-show-half"
  /// A file is tagged without the picture and the chapters that have come for it.
  case tagsNotAwaited = "tags-not-awaited"
  /// A sidecar replaces a file that has its name.
  case sidecarReplaces = "sidecar-replaces"
  /// A sidecar is taken for a file that belongs to nothing.
  case sidecarTakenForOrphan = "sidecar-taken-for-orphan"
  /// The sidecars of a removed download stay.
  case sidecarStays = "sidecar-stays"
  /// A cover goes, although a file stays in its folder that a client has kept.
  case coverGoes = "cover-goes"
  /// A sidecar that a person has removed is fetched again.
  case sidecarFetchedAgain = "sidecar-fetched-again"
  /// Notes that have changed are not written.
  case notesStale = "notes-stale"
  /// When notes are wanted, a body that has not changed is not read for them.
  case notesUnread = "notes-unread"
  /// Notes that the library has are wanted beside no file.
  case notesNotWanted = "notes-not-wanted"

  /// Two tokens of a session are asked for at once.
  case twoRefreshes = "two-refreshes"
  /// A request that waits for its session is forgotten.
  case parkedForgotten = "parked-forgotten"
  /// When a token was renewed, requests still go with the former one.
  case oldTokenKept = "old-token-kept"
  /// Credentials follow a redirect to another host.
  case credentialsFollow = "credentials-follow"
  /// A secret that a client gives in an address stays there.
  case secretInAddress = "secret-in-address"
  /// A library that is opened again does not know whose secrets wait for their requests.
  case arrivingSecretSwept = "arriving-secret-swept"
  /// A start deletes no secret.
  case secretStays = "secret-stays"

  /// Requests lead wherever a feed names.
  case reachForgotten = "reach-forgotten"

  /// A retry that a wrong clock has put off for years waits until then.
  case farRetriesKept = "far-retries-kept"
  /// A refresh that a wrong clock has put off for years waits until then.
  case farRefreshesKept = "far-refreshes-kept"
  /// A sidecar that a wrong clock has put off for years waits until then.
  case farSidecarsKept = "far-sidecars-kept"

  /// The engine of a command starts downloads that it may not start.
  case commandDownloads = "command-downloads"
  /// The engine of a command compares rows and files that it may not compare.
  case commandCleansUp = "command-cleans-up"
  /// The engine of a command deletes what rules owed before it began.
  case commandDeletesOwed = "command-deletes-owed"

  /// A partial file that is as its record says is taken for damaged.
  case restartsNeedlessly = "restarts-needlessly"
  /// What is to delete a partial file deletes another one.
  case partialOfAnother = "partial-of-another"
  /// The fetch of a sidecar is never told to stop.
  case sidecarStopLost = "sidecar-stop-lost"
  /// An attempt is never told that pictures and chapters for its file's tags may come no more.
  case partsNotLeft = "parts-not-left"

  /// What a host says of when it may be asked again is forgotten.
  case retryAfterForgotten = "retry-after-forgotten"
  /// What is durable by now is never told before the end.
  case checkpointForgotten = "checkpoint-forgotten"
  /// What is to come last comes first.
  case orderForgotten = "order-forgotten"
  /// An action is missing in the log.
  case actionUnlogged = "action-unlogged"
}
