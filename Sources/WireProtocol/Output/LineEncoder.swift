import PodfluxCore

/// Writes the engine's lines (the article Protocol), each with its line feed, one behind the other.
///
/// The same values give the same bytes: keys are in the order of the alphabet, and nothing is written in another
/// notation from one time to the next.
package struct LineEncoder: Sendable {
  /// The version of the protocol that is spoken.
  package static let protocolVersion = 1

  var writer: JSONWriter
  /// Of the last line that had a stamp.
  var frame: LineFrame?
  /// Whether lines with a stamp begin with a seal, as a journal's do.
  let isSealing: Bool
  /// Where the line begins that is being written.
  var lineStart = 0

  /// Makes an encoder that has written nothing.
  ///
  /// - Parameter isSealing: Whether each line of the stream of actions is to begin with its checksum: so has a journal.
  package init(sealing isSealing: Bool = false) {
    self.isSealing = isSealing
    writer = JSONWriter(keepsOffsets: isSealing)
  }

  /// The lines written since the buffer was last emptied.
  package var bytes: [UInt8] { writer.bytes }

  /// Forgets the lines that have been written, and keeps their memory for those to come.
  package mutating func removeAll() {
    writer.removeAll()
  }

  /// The first line: the engine has opened its library.
  package mutating func ready(version: String, library: String, revision: Int64, pid: Int32) {
    line("engine/ready") { payload in
      payload.member("library", library)
      payload.member("pid", Int64(pid))
      payload.member("protocol", Self.protocolVersion)
      payload.member("revision", revision)
      payload.member("version", version)
    }
  }

  /// The last line: nothing comes behind it.
  package mutating func stopped(_ end: ConnectionEnd, revision: Int64) {
    line("engine/stopped") { payload in
      payload.member("reason", end.name)
      payload.member("revision", revision)
    }
  }

  /// An action is committed and durable.
  package mutating func reply(_ reply: Reply, id: RequestID?, revision: Int64) {
    line("ok", id: id, revision: revision) { payload in
      var (reply, example): (Reply, String?) = (reply, nil)
      if case .exemplified(let own, let path) = reply { (reply, example) = (own, path) }
      switch reply {
      case .enqueued(let id, let created):
        payload.member("created", created)
        payload.member("id", id.description)
      case .subscribed(let id, let created):
        payload.member("created", created)
        if let example { payload.member("example", example) }
        payload.member("id", id.description)
      case .session(let id, let state):
        payload.member("id", id.description)
        payload.member("state", state.rawValue)
      case .imported(let added, let known, let rejected):
        payload.member("added", added)
        payload.member("known", known)
        payload.array("rejected", rejected) { rejection, elements in
          elements.object {
            $0.member("code", rejection.code.rawValue)
            $0.member("url", rejection.url)
          }
        }
      case .affected(let number): payload.member("affected", number)
      case .cleanup(let run): payload.member("run", run)
      case .done: if let example { payload.member("example", example) }
      case .exemplified: preconditionFailure("a reply has one example at most")
      }
    }
  }

  /// A query is answered.
  package mutating func answer(_ answer: Answer, id: RequestID?, revision: Int64) {
    line("ok", id: id, revision: revision) { payload in
      switch answer {
      case .resumeData(let record): payload.member("resumeData", record?.redacted.resumeData)
      case .opml(let text): payload.member("opml", text)
      case .preview(let preview): payload.members(of: preview)
      case .rulesPlan(let plan): payload.members(of: plan)
      case .snapshot(let snapshot): payload.members(of: snapshot)
      case .observing(let revision): payload.member("revision", revision)
      case .unobserving: break
      }
    }
  }

  /// A line is not carried out.
  package mutating func refusal(_ refusal: Refusal, line number: Int, id: RequestID?) {
    line("error", isError: true, id: id) { payload in
      payload.member("code", refusal.code.rawValue)
      payload.member("line", number)
      payload.member("message", refusal.message)
      if let path = refusal.path { payload.member("path", path) }
    }
  }

  mutating func line(
    _ type: String, isError: Bool = false, id: RequestID? = nil, revision: Int64? = nil,
    _ writePayload: (inout JSONWriter) -> Void
  ) {
    writer.object { line in
      if isError { line.member("error", true) }
      if id != nil || revision != nil { line.meta(id: id, revision: revision) }
      line.object("payload", writePayload)
      line.member("type", type)
    }
    writer.endLine()
  }
}

extension JSONWriter {
  fileprivate mutating func meta(id: RequestID?, revision: Int64?) {
    object("meta") { meta in
      switch id {
      case .string(let string): meta.member("id", string)
      case .integer(let integer): meta.member("id", integer)
      case nil: break
      }
      if let revision { meta.member("revision", revision) }
    }
  }
}
