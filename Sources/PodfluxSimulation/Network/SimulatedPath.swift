import Flux
import PodfluxCore

/// The network paths of the simulated world.
enum SimulatedPath {
  static let wifi = NetworkPath(status: .online, interface: .wifi, device: "wlan9")
  static let meteredWifi = NetworkPath(status: .online, interface: .wifi, isMetered: true, device: "wlan9")
  static let cellular = NetworkPath(status: .online, interface: .cellular, device: "wwan9")
  static let ethernet = NetworkPath(status: .online, interface: .ethernet, device: "eth9")
  static let all = [wifi, wifi, meteredWifi, cellular, cellular, ethernet, .offline]

  /// The time zone: clocks go forward an hour some days after the beginning, and back some days later.
  static let localTime = LocalTime(
    seconds: 3600,
    changes: [
      LocalTime.Offset(from: Timestamp(milliseconds: World.beginning).advanced(byDays: 2), seconds: 7200),
      LocalTime.Offset(from: Timestamp(milliseconds: World.beginning).advanced(byDays: 5), seconds: 3600),
    ])
}

/// Changes of the path, and their notification.
extension World {
  /// The machine moves to another network.
  func flipPath() {
    let next = random.pick(SimulatedPath.all)
    guard next != path else { return }
    take(next)
    schedulePathNews(after: next.status == .offline ? 1 : Int64(random.within(1...700)))
  }

  func take(_ next: NetworkPath) {
    noteTrouble("the path is \(next.status) over \(next.device ?? "nothing")\(next.isMetered ? ", metered" : "")")
    if !next.goes(the: path) { pathNumber += 1 }
    path = next
  }

  private func schedulePathNews(after delay: Int64) {
    guard let process, process.isAlive else { return }
    schedule(.path(process), after: delay)
  }
}

extension SimulatedAttempt {
  /// Whether reaching its origin needs a path.
  var needsPath: Bool { !WebAddress.isLoopback(attempt.address.host) || isLedElsewhere }

  /// Whether the current path leads to its origin.
  var isReachable: Bool {
    !needsPath || world.path.leads(along: world.sabotage == .routeForgotten ? .any : attempt.route)
  }

  /// Whether bytes still come over the connection: it belongs to the path over which it was opened.
  var isConnected: Bool { !needsPath || exchange?.pathNumber == world.pathNumber }
}

extension NetworkPath {
  /// Whether it leads to other machines along a route.
  func leads(along route: Route) -> Bool {
    guard status == .online else { return false }
    switch route {
    case .any: return true
    case .only(let device): return self.device == device
    case .loopback: return false
    }
  }
}
