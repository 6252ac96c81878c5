import Flux
import Foundation

@testable import PodfluxCore

/// Computes the expected answers from the downloads themselves, row by row.
struct Oracle {
  /// In the order of addition.
  var downloads: [Download] = []
  var today = RandomDownloads.today
  var moment = ConditionMoment(now: RandomDownloads.now)

  // MARK: Lists

  func list(_ query: DownloadsQuery, _ selection: FilterSelection) -> [String] {
    let shown = downloads.enumerated().filter { _, download in
      meets(query.condition, download) && (query.isUnfiltered || shows(selection, download))
    }
    let sorted = shown.sorted { left, right in
      precedes(left.element, right.element, query.order.key)
        ?? (left.offset < right.offset)
    }
    let names = sorted.map(\.element.id.description)
    return query.order.isReversed ? names.reversed() : names
  }

  private func precedes(_ left: Download, _ right: Download, _ key: DownloadOrderKey) -> Bool? {
    switch key {
    case .added: nil
    case .published:
      precedes(left.description.published?.moment.milliseconds, right.description.published?.moment.milliseconds)
    case .size: precedes(length(left), length(right))
    case .title: precedes(titleKey(left.description.title), titleKey(right.description.title))
    case .state: precedes(place(of: left), place(of: right))
    case .position:
      precedes(
        Priority.allCases.firstIndex(of: left.rank.priority), Priority.allCases.firstIndex(of: right.rank.priority))
        ?? precedes(left.rank.position, right.rank.position)
    }
  }

  private func precedes<Value: Comparable>(_ left: Value?, _ right: Value?) -> Bool? {
    switch (left, right) {
    case (nil, nil): nil
    case (nil, _): true
    case (_, nil): false
    case (let left?, let right?): left == right ? nil : left < right
    }
  }

  private func place(of download: Download) -> Int? {
    DownloadState.Kind.allCases.firstIndex(of: state(of: download).kind)
  }

  /// The sort key of a title: its scalars, as numbers that compare alike.
  private func titleKey(_ title: String?) -> String? {
    title.map { bare(stored($0)) }
  }

  // MARK: Counts

  func count(of filter: Filter, in selection: FilterSelection) -> Int {
    let conditions: [FilterGroup.ID: Condition] = selection.conditions(without: filter.id.group)
    return downloads.count { download in
      conditions.values.allSatisfy { meets($0, download) } && finds(selection.text, download)
        && meets(Condition(filter.meaning), download)
    }
  }

  /// The number of downloads in each state as clients see it.
  var counts: [DownloadState.Kind: Int] {
    downloads.reduce(into: [:]) { $0[state(of: $1).kind, default: 0] += 1 }
  }

  // MARK: Changes

  mutating func setNetwork(_ policy: NetworkPolicy, ofPodcast name: String) {
    for index in downloads.indices where downloads[index].description.podcast.map(stored) == stored(name) {
      downloads[index].networks.podcast = policy
    }
  }

  // MARK: One download

  func shows(_ selection: FilterSelection, _ download: Download) -> Bool {
    meets(selection.condition(), download) && finds(selection.text, download)
  }

  /// Whether every word is a prefix of a word of the download.
  private func finds(_ text: String, _ download: Download) -> Bool {
    guard !text.allSatisfy(\.isWhitespace) else { return true }
    let there = words(
      [download.description.title, download.description.podcast].compactMap(\.self).joined(separator: " "))
    let sought = words(text)
    return !sought.isEmpty && sought.allSatisfy { word in there.contains { $0.hasPrefix(word) } }
  }

  private func words(_ text: String) -> [String] {
    bare(text).split { !$0.isLetter && !$0.isNumber }.map { String($0) }
  }

  private func bare(_ text: String) -> String {
    // Foundation's folding of a whole text, to compare with that of single scalars.
    let decomposed = text.decomposedStringWithCompatibilityMapping.lowercased().uppercased().lowercased()
    let scalars = decomposed.decomposedStringWithCompatibilityMapping.unicodeScalars.filter {
      $0.properties.canonicalCombiningClass == .notReordered && !$0.properties.isDefaultIgnorableCodePoint
    }
    return String(String.UnicodeScalarView(scalars)).replacing("ς", with: "σ")
  }

  func state(of download: Download) -> (kind: DownloadState.Kind, reason: WaitingReason?) {
    switch download.state {
    case .queued: waitingReason(of: download).map { (.waiting, $0) } ?? (.queued, nil)
    case .waiting(.retry): (.waiting, .retry)
    case .waiting(.storage): (.waiting, .storage)
    case let state: (state.kind, nil)
    }
  }

  /// Why a queued download waits.
  private func waitingReason(of download: Download) -> WaitingReason? {
    let (obstacles, host) = (moment.obstacles, download.source.host)
    let policy = download.origin == .user ? obstacles.classes.user : obstacles.classes.auto
    let path = (effective(of: download) ?? policy) == .any ? obstacles.any : obstacles.unmetered
    let needsPath = !RandomDownloads.loopback.contains(host) || obstacles.departing.contains(host)
    if let reason = (needsPath ? path : nil)?.reason ?? obstacles.all?.reason { return reason }
    guard obstacles.cooldowns[host] == nil else { return .host }
    return download.session.map(obstacles.parked.contains) == true ? .auth : nil
  }

  /// Its effective network policy, if it or its podcast has one.
  func effective(of download: Download) -> NetworkPolicy? {
    [download.networks.own, download.networks.podcast].first { $0 != .inherit }
  }

  func length(_ download: Download) -> Int64? {
    switch download.state {
    case .completed(let file), .running(.publishing(let file)): file.length
    default: download.progress.total ?? download.description.expectedLength
    }
  }

  private func error(of download: Download) -> DownloadError.Code? {
    switch download.state {
    case .failed(let error): error.code
    case .waiting(.retry(_, let error)), .waiting(.storage(_, let error)): error.code
    default: nil
    }
  }

  func meets(_ condition: Condition, _ download: Download) -> Bool {
    let published = download.description.published?.moment
    let age = moment.now.day - (published ?? download.dates.added).day
    switch condition {
    case .all(let conditions): return conditions.allSatisfy { meets($0, download) }
    case .any(let conditions): return conditions.contains { meets($0, download) }
    case .not(let condition): return !meets(condition, download)
    case .ids(let ids): return ids.contains(download.id)
    case .urls(let urls): return urls.contains(download.address.redacted)
    case .feeds: preconditionFailure("its downloads are of no episodes")
    case .states(let kinds): return kinds.contains(state(of: download).kind)
    case .reasons(let reasons): return state(of: download).reason.map(reasons.contains) ?? false
    case .podcasts(let names): return download.description.podcast.map { names.contains(stored($0)) } ?? false
    case .origins(let origins): return origins.contains(download.origin)
    case .media(let kinds): return kinds.contains(download.media)
    case .sizes(let sizes): return sizes.contains(SizeClass(bytes: length(download)))
    case .ages(let ages):
      return ages.contains(AgeClass(days: today - (published ?? download.dates.added).day))
    case .networks(let policies): return policies.contains(effective(of: download) ?? .inherit)
    case .errorCodes(let codes): return error(of: download).map(codes.contains) ?? false
    case .titleContains(let texts):
      return download.description.title.map { title in
        texts.contains { $0.isEmpty || bare(title).contains(bare($0)) }
      } ?? false
    case .published(let after, let before):
      return published.map {
        $0 > after ?? $0.advanced(byMilliseconds: -1) && $0 < before ?? $0.advanced(byMilliseconds: 1)
      }
        ?? false
    case .newerThanDays(let days): return age < days
    case .olderThanDays(let days): return age >= days
    case .bytes(let least, let most):
      return length(download).map { $0 >= least ?? $0 && $0 <= most ?? $0 } ?? false
    }
  }

  /// A podcast as its row stores it.
  private func stored(_ podcast: String) -> String {
    podcast.replacing("\u{0}", with: "\u{FFFD}")
  }
}
