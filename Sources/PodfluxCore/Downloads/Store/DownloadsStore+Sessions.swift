import Flux

/// Downloads whose requests belong to a session.
extension DownloadsStore {
  /// How many downloads fail in one turn because their session could not log in; the rest follow in the next.
  static let refusedAtOnce = 256

  /// A server has refused an attempt. Returns what was decided; nil if that is not for the session. The error of a
  /// request that is to fail says what the retrier knows.
  mutating func judge(
    _ error: inout DownloadError, of id: DownloadID, sentWith grant: SessionGrant, reading context: Context,
    in turn: inout StoreTurn<Self>
  ) -> SessionSignal.Verdict? {
    guard let verdict = context.sessions.verdict(on: error, of: .download(id), sentWith: grant) else { return nil }
    turn.tell(.downloads(.session(.refused(grant, .download(id), verdict))))
    if case .refuse(let reason) = verdict.decision { error = error.explained(by: reason) }
    return verdict
  }

  /// A server has let an attempt have the file.
  mutating func noteAcceptance(of id: DownloadID, in turn: inout StoreTurn<Self>) {
    guard let attempt = live[id], !attempt.isAccepted, let grant = attempt.session else { return }
    live[id]?.isAccepted = true
    turn.tell(.downloads(.session(.accepted(grant, .download(id)))))
  }

  /// Has downloads fail whose sessions could not log in. The next turn goes on.
  mutating func refuseWhatCannotLogIn(reading context: Context, in turn: inout StoreTurn<Self>) throws {
    refusesAt = nil
    let failed = context.sessions.failed
    guard !failed.isEmpty, counts[.queued, default: 0] > 0 else { return }
    var left = Self.refusedAtOnce
    // A look-up for each: other lanes, of which there may be thousands, cost nothing.
    for session in failed.sorted() {
      guard let error = context.sessions.error(of: session) else { continue }
      while var download = try turn.tables.downloads.nextAdmissible(of: session) {
        guard left > 0 else {
          refusesAt = turn.now
          return
        }
        left -= 1
        download.forgetAttempts()
        try transition(&download, to: .failed(error), in: turn)
      }
    }
  }

  /// The feed of these downloads has another session. They have it too, if they had the feed's former one and it is for
  /// their hosts: a login that is put right is put right for them, also for those that are fetched again one day.
  mutating func follow(
    _ session: Session.Key?, from former: Session.Key?, _ downloads: [DownloadID], reading context: Context,
    in turn: inout StoreTurn<Self>
  ) throws {
    for id in downloads {
      guard var download = try turn.tables.downloads.find(id), download.session == former else { continue }
      let own = context.sessions.inherited(session, by: download.address.host)
      guard own != former else { continue }
      tellLeft(former, in: &turn)
      download.session = own
      switch download.state {
      case .running(.publishing), .queued, .waiting, .paused, .failed, .completed:
        try update(download, in: turn)
      case .running: try sendBack(&download, in: &turn)
      }
    }
  }

  /// Tells that a download has this session no more.
  func tellLeft(_ session: Session.Key?, in turn: inout StoreTurn<Self>) {
    if let session { turn.tell(.downloads(.session(.left(session)))) }
  }

  /// The session that was wanted for a download is there.
  mutating func set(_ session: Session.Key, of id: DownloadID, in turn: inout StoreTurn<Self>) throws {
    guard var download = try turn.tables.downloads.find(id) else { return }
    tellLeft(download.session, in: &turn)
    download.session = session
    try update(download, in: turn)
  }
}

extension SessionSignal.Verdict {
  /// Whether the request fails; otherwise it is sent again, once it may.
  var isRefusal: Bool { if case .refuse = decision { true } else { false } }
}

extension DownloadError {
  /// This error, its message completed by the retrier's reason.
  func explained(by reason: SessionRetrier.Reason) -> DownloadError {
    var error = self
    switch reason {
    case .notForThis: error.message += ", and the session's credentials are good for others"
    case .tooManyTries: error.message += ", again and again, with tokens that were renewed meanwhile"
    }
    return error
  }
}
