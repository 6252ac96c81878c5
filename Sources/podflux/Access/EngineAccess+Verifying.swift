import Foundation
import PodfluxClient
import PodfluxCore
import PodfluxPeople
import WireProtocol

/// Reading completed files again.
extension EngineAccess {
  /// What reading files again has come to.
  struct Verdicts {
    /// How many are as they were downloaded.
    fileprivate(set) var verified: Int64 = 0
    /// How many another program has edited, or has set the time of; they stay as they are.
    fileprivate(set) var edited: Int64 = 0
    /// How many are damaged or gone.
    fileprivate(set) var damaged: Int64 = 0
    /// How many could not be read.
    fileprivate(set) var unreadable: Int64 = 0

    /// Whether a file is not what it should be, or may not be.
    var haveFaults: Bool { damaged + unreadable > 0 }

    /// "3 verified, 1 damaged".
    var words: String {
      let others = [(edited, "edited"), (damaged, "damaged"), (unreadable, "unreadable")].filter { $0.0 > 0 }
      return (["\(verified) verified"] + others.map { "\($0.0) \($0.1)" }).joined(separator: ", ")
    }

    var json: JSONObject {
      let members = [
        ("affected", verified + edited + damaged + unreadable), ("damaged", damaged), ("edited", edited),
        ("unreadable", unreadable),
      ]
      return JSONObject(members.map { .init(key: $0.0, value: .integer($0.1)) })
    }
  }

  /// Has files read again, and waits until each has got a verdict, or is not complete any more.
  ///
  /// - Parameters:
  ///   - ids: The downloads; those that are not complete are passed over.
  ///   - damaged: How many others were found to be damaged or gone before.
  ///   - onFault: Called with a sentence for each file that is not as it was downloaded.
  ///   - onProgress: Called now and then with how many have been read, if there are more since the last time.
  func verify(
    _ ids: [DownloadID], besides damaged: Int = 0, onFault: (String) -> Void, onProgress: (String) -> Void = { _ in }
  ) throws -> Verdicts {
    var verification = Verification(pending: Set(ids.map(\.description)))
    verification.verdicts.damaged = Int64(damaged)
    _ = try connection.ask(
      .query(.observe(Observation(state: SnapshotQuery(stores: [.engine]), includesActions: true)))
    ).get()
    // Fewer than asked for: some are owed to others already, or are not complete any more.
    verification.needsLook = try orderVerification(of: ids) < verification.pending.count
    var nextLook = Self.lookAhead()
    let number = verification.pending.count
    var (told, nextWord) = (0, Self.wordAhead())
    while !verification.pending.isEmpty {
      let before = verification.pending.count
      if verification.needsLook || DispatchTime.now() >= nextLook {
        for fault in try look(at: &verification) { onFault(fault) }
        nextLook = Self.lookAhead()
      } else if let event = try connection.nextEvent(upTo: nextLook), let fault = try verification.receive(event) {
        onFault(fault)
      }
      if verification.pending.count < before { nextLook = Self.lookAhead() }
      let read = number - verification.pending.count
      guard DispatchTime.now() >= nextWord, read > told, read < number else { continue }
      onProgress("\(read) of \(number) read")
      (told, nextWord) = (read, Self.wordAhead())
    }
    try unobserve()
    return verification.verdicts
  }

  /// How long no verdict need come before the downloads are looked up. An engine leaves out action lines for which a
  /// client has no room, and announces not each row of a removal by condition.
  private static let silentMilliseconds = 5000

  private static func lookAhead() -> DispatchTime { .now() + .milliseconds(silentMilliseconds) }

  /// The time between two words about how many files have been read, as between the summaries of downloads.
  private static let wordSeconds = 30

  private static func wordAhead() -> DispatchTime { .now() + .seconds(wordSeconds) }

  /// Returns how many of them were not owed a verification before.
  private func orderVerification(of ids: [DownloadID]) throws -> Int64 {
    try affected(by: { .verify($0) }, on: .many(ids))
  }

  /// Looks up what has no verdict yet, drops what is not complete any more, and orders the rest once more: an owed
  /// verification is not doubled by that. Returns the faults that have come out.
  private func look(at verification: inout Verification) throws -> [String] {
    let wanted = verification.pending.compactMap { DownloadID($0) }
    var seen: [String: DownloadItem] = [:]
    try connection.forEachDownload(of: wanted, fields: [.id, .state, .error]) { item in
      seen[item.id] = item
      return true
    }
    // The verdicts that the engine has told before it answered.
    var faults: [String] = []
    while let event = try connection.nextEvent(upTo: .now()) {
      if let fault = try verification.receive(event) { faults.append(fault) }
    }
    verification.needsLook = false
    faults += verification.drop(unlessCompletedIn: seen)
    _ = try orderVerification(of: verification.pending.sorted().compactMap { DownloadID($0) })
    return faults
  }
}

/// The downloads of which a verdict is awaited.
private struct Verification {
  /// The downloads without a verdict so far.
  private(set) var pending: Set<String>
  var verdicts = EngineAccess.Verdicts()
  /// Whether some of them may be not complete any more.
  var needsLook = false

  init(pending: Set<String>) {
    self.pending = pending
  }

  /// Takes in what the engine tells. Returns a sentence about a file that is not as it was downloaded.
  mutating func receive(_ event: ClientConnection.Event) throws -> String? {
    guard case .action(let type, let payload) = event.content else { return nil }
    switch type {
    case "downloads/verified":
      // The verdict may answer another client's verification.
      guard let id = try payload.string("id"), pending.remove(id) != nil else { return nil }
      let verdict = try payload.string("verdict") ?? ""
      verdicts.count(verdict)
      guard verdict != "intact" else { return nil }
      return "\(id): " + (try payload.string("message") ?? (verdict == "modified" ? Self.edited : verdict))
    // The engine does not read a removed download any more.
    case "downloads/removed": if let id = try payload.string("id") { pending.remove(id) }
    case "downloads/remove", "downloads/cancel", "feeds/unsubscribe": needsLook = true
    default: break
    }
    return nil
  }

  /// Drops what is not complete any more. Returns a sentence for each that has failed: its file is damaged or gone.
  mutating func drop(unlessCompletedIn seen: [String: DownloadItem]) -> [String] {
    var faults: [String] = []
    for id in pending.sorted() where seen[id]?.state != .completed {
      pending.remove(id)
      guard let item = seen[id], item.state == .failed else { continue }
      verdicts.count("damaged")
      faults.append("\(id): \(item.error?.message ?? "damaged")")
    }
    return faults
  }

  private static let edited = "another program has edited its file, or has set its time"
}

extension EngineAccess.Verdicts {
  fileprivate mutating func count(_ verdict: String) {
    switch verdict {
    case "damaged": damaged += 1
    case "unreadable": unreadable += 1
    case "modified": edited += 1
    default: verified += 1
    }
  }
}
