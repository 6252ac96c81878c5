/// A condition that must always hold, in words.
public enum Invariant: String, CaseIterable, Sendable {
  case acknowledged = "an acknowledged action's effect is never lost"
  case oneAttempt = "a download has at most one live attempt"
  case totalLimit = "no more attempts transfer than maxConcurrent allows"
  case hostLimit = "no more attempts transfer from a host than maxPerHost allows"
  case durable = "a row's durable bytes would survive a power cut"
  case torn = "bytes that a power cut may have torn are not gone on with"
  case checkpointed = "written bytes do not wait for their checkpoint for ever"
  case keptBytes = "kept bytes are forgotten only when an attempt says that they are of no use"
  case cooldown = "a host that wants to be left alone is"
  case integrity = "a completed file has the digest that its client knows"
  case oneVersion = "a completed file is exactly one version of the origin's content"
  case tags =
    "what lies there is what was downloaded, or a copy of exactly that, tagged once, with all that has come for its tags; the row knows both, and neither is changed"
  case publishedDurably = "a completed download's file stands at its place and would survive a power cut"
  case rowFirst = "a file gets its name only after the row knows it"
  case foreignFiles = "files of others are left alone"
  case twins = "no file is published under a name that differs from another in case only"
  case counts = "the counts equal the rows"
  case episodeCounts = "a filter over episodes counts those that a list of them shows"
  case transitions = "every change of state is in the transition table"
  case logGrows = "revision and sequence only grow, by one for each commit and each action"
  case reasons = "a waiting download's reason is true when it is given"
  case twice = "an effect carried out twice changes nothing more"
  case afterCommit = "no effect is released before its commit"
  case oneEnd = "an attempt ends once, and reports nothing after its end"
  case gate = "once the library is given up no attempt of it changes a file"
  case slots = "an attempt that the store thinks alive is alive, or its end is on the way"
  case holds = "a queued download is held while something of its name could harm it, and only while that is on its way"
  case damage = "what is read again fails if it is damaged, and only then, and its remains are kept"
  case neededFiles = "cleaning up takes no file away that a download needs"
  case foreignBytes =
    "cleaning up deletes no file of others unless that was asked for, and takes none that it did not find"
  case onePlace = "no file is followed to a place that another completed download has"
  case edited = "a completed download whose file another program has edited stays completed"
  case words = "a cleanup that was not given the words for it moves and deletes nothing that a person could miss"
  case planChangesNothing = "a plan changes nothing"
  case forgetting = "a completed download is given up only if its file is gone"
  case everythingGone = "nothing is decided while all files are gone at once"
  case stepFirst = "a step is carried out only when its row is committed"
  case agreement = "after a cleanup rows and files agree, and the next one finds nothing to do"
  case tallies = "what a cleanup says of itself is what its steps say"
  case told = "people are told of a cleanup that did something, or could not, and of no other"
  case links = "nothing behind a link, or in a folder that cannot be read, is taken away"
  case strays = "a file among the partial files is taken only if it is a stray, and on request"
  case quarantineDays = "what was put aside leaves the quarantine only after its days"
  case deletions = "nothing is deleted while an attempt works on it"
  case path = "no byte comes over a path that policy forbids"
  case headers = "a client's headers go to its own origin only"
  case obstacles = "nothing is started that an obstacle stands in the way of"
  case traffic = "what came over cellular in a month is counted"
  case oneEpisode = "an episode of a feed stays one when its feed changes it"
  case twoEpisodes = "two episodes that the rules of identity tell apart stay two"
  case ownDownload = "no two episodes of a feed have one download"
  case nothingLost = "what a whole refresh has read is what the rows say"
  case wholeOnly = "an episode counts as gone from its feed only if the whole feed was read without it"
  case wholeRead = "no feed counts as read to its end of which only parts have come"
  case refreshedTwice = "a refresh of an unchanged feed writes no episode"
  case downloadsOutlive = "downloads outlive what happens to their feed"
  case freshAddress =
    "a download that its server refuses goes on where its episode is by then, and changes its address for nothing else"
  case moves = "a subscription moves only to where its own podcast is"
  case goneForGood = "a feed that is gone for good ends, and keeps its episodes"
  case fetchedOnce = "no rule fetches what had a download before: a person may have removed it"
  case noFlood = "a rule takes no more than it says of what was there when it was set"
  case explained = "nothing is fetched or deleted that no rule explains"
  case quota = "rules keep the storage quota at rest: the oldest of what they fetched goes, and no more than it needs"
  case rulesDone = "when nothing moves any more, rules would do nothing"
  case rhythm = "each living feed is refreshed again, neither too soon nor never"
  case oneRefresh = "a feed has at most one refresh, and no more run than the limits allow"
  case validators = "a server that has called a changed feed unchanged is not believed again"
  case order = "downloads stand in the order that was asked for"
  case names = "a file that gets another name replaces no other one, and its row follows it"
  case sidecarPlaces = "a sidecar replaces no file, and cleaning up takes none for an orphan"
  case sidecarRows =
    "a sidecar whose row says that it is there is there, and no sidecar moves without its episode's file"
  case sidecarsLeave = "no sidecar of a removed download stays, and no cover leaves a file that a client has kept"
  case sidecarsOnce = "a sidecar that a person has removed is not fetched again"
  case notes =
    "where notes are wanted, the library has what the feed says of each episode, and each file gets its notes"
  case adopted = "an episode gets a file only if it is its own, and a file is that of one download"
  case untouched = "adopting a file changes and moves none"
  case asPlanned = "what a plan to adopt lists is what adopting does, if nothing has changed"
  case oneToken = "at most one token of a session is asked for at a time, and none while the one that there is is good"
  case ownHosts = "a session's credentials go to its hosts only"
  case tokenInUse = "a request goes with the token in use, and no session goes back to a former one"
  case parked = "a request of a session goes with that session's credentials to its hosts, and with no others"
  case orphans = "no file is left on the disk that belongs to nothing"
  case mirror = "the rows are what was written to them"
  case liveness = "when faults stop, everything that can finish does, and nothing waits without a reason"
  case replay = "the log of actions, replayed on an empty library, gives the same state"
  case engine = "the engine goes on"
  case answers = "each request has exactly one answer, and requests are answered in their order"
  case suspension = "nothing touches the library while it is given up"
  case inTime = "a stop and a suspension end within two seconds"
  case remaining = "an engine that ends says how many downloads are left"
  case afterClosing = "an engine that has closed does nothing but refuse requests"
  case oneDelivery = "what a service tells is committed once"
}

/// A violated invariant.
public struct Violation: Error, Sendable, CustomStringConvertible {
  public var invariant: Invariant
  /// How it was violated.
  public var detail: String

  init(_ invariant: Invariant, _ detail: String) {
    self.invariant = invariant
    self.detail = detail
  }

  public var description: String { "\(invariant.rawValue): \(detail)" }
}
