import Flux
import Testing

@testable import PodfluxCore

/// Paths, short to write.
extension NetworkPath {
  static let wifi = NetworkPath(status: .online, interface: .wifi, device: "wlan0")
  static let cable = NetworkPath(status: .online, interface: .ethernet, device: "eth0")
  static let cellular = NetworkPath(status: .online, interface: .cellular, device: "wwan0")
  static let hotspot = NetworkPath(status: .online, interface: .wifi, isMetered: true, device: "wlan0")
}

extension World {
  var network: NetworkState { dispatcher.state.network.state }

  /// Enqueues a download that may use these networks.
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

  /// The attempts that were told to stop end, keeping nothing.
  func endStopped() throws {
    for id in downloads.live.filter(\.value.isStopping).keys.sorted() { try report(id, .stopped(kept: nil)) }
  }

  /// What a download waits for that would run otherwise.
  func obstacle(_ id: DownloadID) throws -> Obstacle? {
    downloads.obstacles.obstacle(for: try row(id))
  }

  /// Reports that so many bytes have come.
  func fetch(_ bytes: Int64, by id: DownloadID) throws {
    let attempt = try #require(attempts[id])
    try send(
      .attempt(
        AttemptReport(attempt: attempt.id, news: .checkpoint(.sample(durable: bytes, total: nil)), fetched: bytes)))
  }

  /// What was asked of whoever watches the disk in the last turn.
  var watched: [Int64?] {
    effects.compactMap { if case .watchRoom(let bytes) = $0 { .some(bytes) } else { nil } }
  }
}
