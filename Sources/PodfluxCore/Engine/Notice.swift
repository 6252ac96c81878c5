/// What people are to be told even if they look at no snapshot: something was done to files or downloads of theirs that
/// no request named, or was not done although a request asked for it.
package enum Notice: Hashable, Sendable {
  /// A cleanup has ended.
  case cleaned(CleanupRun)
  /// Completed files have been read again, and nothing more waits to be.
  case verified(VerificationTally)
}

/// What reading completed files again has come to.
package struct VerificationTally: Hashable, Sendable {
  /// How many are what they should be.
  package var intact = 0
  /// How many were damaged, and were put into quarantine.
  package var damaged = 0
  /// How many were gone.
  package var gone = 0
  /// How many could not be read; nothing follows from that.
  package var unreadable = 0

  /// An empty notice.
  package init() {}

  /// Whether people are to be told: not if all is well.
  package var isNews: Bool { damaged + gone + unreadable > 0 }

  mutating func count(_ verdict: Verification.Verdict) {
    if case .damaged(_, let remains) = verdict {
      if remains == nil { gone += 1 } else { damaged += 1 }
    } else if case .unreadable = verdict {
      unreadable += 1
    } else {
      intact += 1
    }
  }
}
