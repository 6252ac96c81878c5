import PodfluxClient
import PodfluxCore
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

  /// Has files read again, and waits until they have been.
  ///
  /// - Parameters:
  ///   - selection: The downloads.
  ///   - damaged: How many others were found to be damaged or gone before.
  ///   - onFault: Called with a sentence for each file that is not as it was downloaded.
  func verify(
    _ selection: DownloadIntent.Selection, besides damaged: Int = 0, onFault: (String) -> Void
  ) throws -> Verdicts {
    _ = try connection.ask(
      .query(.observe(Observation(state: SnapshotQuery(stores: [.engine]), includesActions: true)))
    ).get()
    var left = try affected(by: .downloads(.verify(selection)))
    var verdicts = Verdicts()
    verdicts.damaged = Int64(damaged)
    var pending = selection.ids
    while left > 0, let event = try connection.nextEvent(upTo: nil) {
      guard case .action(let type, let payload) = event.content else { continue }
      guard type == "downloads/verified" || (type == "downloads/removed" && pending != nil) else { continue }
      let id = try payload.string("id") ?? ""
      // Others may have files read, too.
      guard pending == nil || pending?.remove(id) != nil else { continue }
      left -= 1
      // What is removed meanwhile is not read any more.
      guard type == "downloads/verified" else { continue }
      let verdict = try payload.string("verdict") ?? ""
      verdicts.count(verdict)
      guard verdict != "intact" else { continue }
      onFault("\(id): " + (try payload.string("message") ?? (verdict == "modified" ? Self.edited : verdict)))
    }
    _ = try connection.ask(.query(.unobserve)).get()
    return verdicts
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

extension DownloadIntent.Selection {
  /// The ids that it names; nil for a condition.
  fileprivate var ids: Set<String>? {
    switch self {
    case .one(let id): [id.description]
    case .many(let ids): Set(ids.map(\.description))
    case .matching: nil
    }
  }
}
