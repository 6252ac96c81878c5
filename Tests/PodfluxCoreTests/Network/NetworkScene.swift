import Flux
import Testing

@testable import PodfluxCore

/// Short forms of paths.
extension NetworkPath {
  static let wifi = NetworkPath(status: .online, interface: .wifi, device: "wlan0")
  static let cable = NetworkPath(status: .online, interface: .ethernet, device: "eth0")
  static let cellular = NetworkPath(status: .online, interface: .cellular, device: "wwan0")
  static let hotspot = NetworkPath(status: .online, interface: .wifi, isMetered: true, device: "wlan0")
}

extension World {
  var network: NetworkState { dispatcher.state.network.state }

  /// Enqueues a download with this network policy.
  @discardableResult
  func enqueue(
    _ name: String, on host: String = "a.example", may network: NetworkPolicy, origin: Origin = .user,
    podcast: String? = nil, length: Int64? = nil
  ) throws -> DownloadID {
    let id = try DownloadID.named(name)
    try send(
      .downloads(
        .enqueue(
          .init(
            id: id, address: try .on(host, name), description: .init(podcast: podcast, expectedLength: length),
            origin: origin, network: network))))
    return id
  }

  /// Changes settings.
  func set(_ change: (inout SettingsPatch) -> Void) throws {
    var patch = SettingsPatch()
    change(&patch)
    try send(.updateSettings(patch))
  }

  /// Ends the stopped attempts, without kept bytes.
  func endStopped() throws {
    for id in downloads.live.filter(\.value.isStopping).keys.sorted() { try report(id, .stopped(kept: nil)) }
  }

  /// The obstacle of a download that would run otherwise.
  func obstacle(_ id: DownloadID) throws -> Obstacle? {
    downloads.obstacles.obstacle(for: try row(id))
  }

  /// Reports received bytes.
  func fetch(_ bytes: Int64, by id: DownloadID) throws {
    let attempt = try #require(attempts[id])
    try send(
      .attempt(
        AttemptReport(attempt: attempt.id, news: .checkpoint(.sample(durable: bytes, total: nil)), fetched: bytes)))
  }

  /// The thresholds for the space watch in the last turn.
  var watched: [Int64?] {
    effects.compactMap { if case .watchRoom(let bytes) = $0 { .some(bytes) } else { nil } }
  }
}
