import Flux

/// Room that the storage quota needs.
extension RulesStore {
  /// Deletes the oldest episodes that rules have downloaded, of all feeds, until what is there is within the quota, and
  /// until there is room for what waits for it. No newer one goes for an older one that a rule wants, and none for a
  /// download that would not have room all the same. What no server has said of a length deletes no more than what it
  /// takes to ask one.
  mutating func freeRoom(upTo limit: Int, reading context: Context, in turn: inout StoreTurn<Self>) throws {
    guard limit > 0, !context.isComparing else { return }
    let (rules, needs) = (turn.tables.rules, try context.quotaNeeds(turn))
    searches.forgetOld(at: turn.now)
    guard !needs.isEmpty, !searches.cover(needs) else { return }
    for need in needs {
      if need.isOfRule, let id = need.download, let length = need.length, length > context.quotaBytes,
        try drop(id, in: &turn)
      {
        return
      }
      let place = need.isOfRule ? try need.download.flatMap { try rules.place(having: $0) } : nil
      if need.isOfRule, place == nil { continue }
      // What the files exceed the quota by goes in parts, the others' needs as a whole.
      let least = need.download == nil ? 1 : max(need.bytes, need.claimed)
      guard !searches.cover(least, olderThan: place) else { continue }
      let candidates = try rules.releasable(olderThan: place, limit: limit)
      var (freed, chosen): (Int64, [ReleasableDownload]) = (0, [])
      for candidate in candidates {
        if freed < need.bytes { chosen.append(candidate) }
        freed = freed.addingClamped(candidate.bytes)
      }
      if freed < least, candidates.count == limit { freed = try rules.releasableBytes(olderThan: place) }
      guard freed >= least, !chosen.isEmpty else {
        searches.note(freed, olderThan: place, at: turn.now)
        continue
      }
      // Where that is not enough, the next turns go on with the rest.
      for candidate in chosen { try rules.write(.deleted(.exceedsQuota), of: candidate.episode) }
      return turn.tell(.rules(.unwanted(chosen.map(\.download), for: need.download)))
    }
    searches.note(needs, at: turn.now)
  }

  /// Forgets the searches that would find more now.
  mutating func followSearches(_ event: StoreEvent, in turn: borrowing StoreTurn<Self>) throws {
    switch event {
    case .downloads(.finished(let id)):
      if let place = try turn.tables.rules.place(having: id) { searches.forget(coming: place) }
    case .podcasts(.fetchedOverCellular), .podcasts(.session): break
    case .podcasts, .downloads(.applied): searches.forget()
    default: break
    }
  }

  /// Deletes a file that has come by a rule and is larger than the whole quota, as its feed and its server did not say:
  /// all others would go for it, and it would go too. Returns whether it does.
  func dropTooLarge(_ id: DownloadID, quota: Int64, in turn: inout StoreTurn<Self>) throws -> Bool {
    guard quota > 0, case .completed(let file)? = try turn.tables.downloads.find(id)?.state, file.length > quota else {
      return false
    }
    return try drop(id, in: &turn)
  }

  /// Deletes what there is of a download that is larger than the whole quota, if a rule alone wants it.
  private func drop(_ id: DownloadID, in turn: inout StoreTurn<Self>) throws -> Bool {
    guard let episode = try turn.tables.rules.episode(ruledInto: id) else { return false }
    try turn.tables.rules.write(.deleted(.exceedsQuotaAlone), of: episode)
    turn.tell(.rules(.unwanted([id], for: nil)))
    return true
  }
}
