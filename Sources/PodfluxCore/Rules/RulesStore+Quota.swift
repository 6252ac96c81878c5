import Flux

/// Room that the storage quota needs.
extension RulesStore {
  /// Deletes the oldest episodes that rules have downloaded, of all feeds, until there is room for what waits for it. No
  /// newer one goes for an older one that a rule wants, and none for what will not have room all the same.
  func freeRoom(upTo limit: Int, reading context: Context, in turn: inout PodfluxTurn) throws {
    guard limit > 0 else { return }
    for need in try context.quotaNeeds(turn) {
      let place = need.isOfRule ? try need.download.flatMap { try turn.tables.rules.place(having: $0) } : nil
      if need.isOfRule, place == nil { continue }
      let candidates = try turn.tables.rules.releasable(olderThan: place, limit: limit)
      var (freed, chosen): (Int64, [ReleasableDownload]) = (0, [])
      for candidate in candidates where freed < need.bytes {
        freed = freed.addingClamped(candidate.bytes)
        chosen.append(candidate)
      }
      guard !chosen.isEmpty, freed >= need.bytes || candidates.count == limit || need.download == nil else { continue }
      for candidate in chosen { try turn.tables.rules.write(.deleted(.exceedsQuota), of: candidate.episode) }
      return turn.tell(.rules(.unwanted(chosen.map(\.download))))
    }
  }
}
