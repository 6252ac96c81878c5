import Flux
import Testing

@testable import PodfluxCore

@Suite("Obstacles")
struct ObstaclesTests {
  private static let moment = World.beginning
  private static let hosts = ["a.example", "127.0.0.1:80", "cool.example"]

  private func obstacle(
    _ obstacles: Obstacles, _ policy: NetworkPolicy = .inherit, _ origin: Origin = .user, on host: String = "a.example"
  ) -> Obstacle? {
    obstacles.obstacle(for: QueueLane(host: host, origin: origin, policy: policy))
  }

  @Test("A download's own policy counts, or else its podcast's, or else its origin's class")
  func policies() {
    var obstacles = Obstacles(unmetered: .policy)
    obstacles.classes.auto = .any
    #expect(obstacle(obstacles, .inherit, .user) == .policy)
    #expect(obstacle(obstacles, .inherit, .auto) == nil)
    #expect(obstacle(obstacles, .any, .user) == nil)
    #expect(obstacle(obstacles, .unmetered, .auto) == .policy)
    #expect(Download.Networks(own: .inherit, podcast: .any).effective == .any)
    #expect(Download.Networks(own: .unmetered, podcast: .any).effective == .unmetered)
    #expect(Download.Networks().effective == .inherit)
  }

  @Test("The path's comes first, then the common one, then the host's")
  func order() {
    var obstacles = Obstacles(
      unmetered: .network, any: .network, all: .storage(shortBytes: 5), cooldowns: ["a.example": Self.moment])
    #expect(obstacle(obstacles) == .network)
    (obstacles.unmetered, obstacles.any) = (nil, nil)
    #expect(obstacle(obstacles) == .storage(shortBytes: 5))
    obstacles.all = nil
    #expect(obstacle(obstacles) == .host(until: Self.moment))
    obstacles.cooldowns = [:]
    #expect(obstacle(obstacles) == nil)
  }

  @Test("Loopback needs no path, unless it has redirected elsewhere; common obstacles apply to it too")
  func loopback() {
    var obstacles = Obstacles(unmetered: .policy, any: .network)
    #expect(obstacle(obstacles, on: "127.0.0.1:80") == nil)
    obstacles.departing = ["127.0.0.1:80"]
    #expect(obstacle(obstacles, on: "127.0.0.1:80") == .policy)
    #expect(obstacle(obstacles, .any, on: "127.0.0.1:80") == .network)
    obstacles = Obstacles(all: .schedule(until: nil))
    #expect(obstacle(obstacles, on: "127.0.0.1:80") == .schedule(until: nil))
  }

  @Test("Visible traits follow the download's obstacle, and only queued ones change")
  func visible() {
    for obstacles in [
      Obstacles(), Obstacles(unmetered: .policy), Obstacles(unmetered: .network, any: .network),
      Obstacles(all: .schedule(until: nil)), Obstacles(unmetered: .policy, cooldowns: ["cool.example": Self.moment]),
      Obstacles(any: .network, cooldowns: ["127.0.0.1:80": Self.moment]),
    ] {
      for host in Self.hosts {
        for policy in NetworkPolicy.allCases {
          for kind in DownloadState.Kind.allCases {
            let traits = Self.traits(kind, policy)
            let seen = obstacles.visible(traits, on: obstacles.group(of: host))
            let obstacle = kind == .queued ? obstacle(obstacles, policy, on: host) : nil
            #expect(seen.kind == (obstacle == nil ? kind : .waiting))
            #expect(seen.reason == obstacle?.reason)
          }
        }
      }
    }
  }

  private static func traits(_ kind: DownloadState.Kind, _ policy: NetworkPolicy) -> Traits {
    Traits(
      kind: kind, isHeld: false, reason: nil, error: nil, media: .audio, size: .unknown, age: .day, origin: .user,
      network: policy)
  }
}
