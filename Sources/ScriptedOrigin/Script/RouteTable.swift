import Synchronization

/// The behaviours of paths.
final class RouteTable: Sendable {
  /// How the next request's behaviour is chosen.
  enum Route: Sendable {
    case script([Behaviour], next: Int)
    case choice(@Sendable (RequestRecord) -> Behaviour)
  }

  private struct State {
    var routes: [String: Route] = [:]
    /// What answers a POST.
    var forms: [String: @Sendable (RequestRecord) -> Behaviour] = [:]
    var fallback = Route.choice { _ in RouteTable.notFound }
  }

  private let state = Mutex(State())

  private static let notFound = Behaviour.status(
    404, headers: ["Content-Type": "text/plain"], body: .text("There is nothing here.\n"))
  private static let methodNotAllowed = Behaviour.status(405, headers: ["Allow": "GET, HEAD"])

  func set(_ route: Route, path: String) {
    state.withLock { $0.routes[path] = route }
  }

  /// Sets the choice for every path without a route.
  func setFallback(_ choose: @escaping @Sendable (RequestRecord) -> Behaviour) {
    state.withLock { $0.fallback = .choice(choose) }
  }

  /// Sets what answers a POST.
  func setForm(path: String, _ choose: @escaping @Sendable (RequestRecord) -> Behaviour) {
    state.withLock { $0.forms[path] = choose }
  }

  func remove(path: String) {
    state.withLock { _ = $0.routes.removeValue(forKey: path) }
  }

  /// The behaviour for `request`; advances a script.
  func behaviour(for request: RequestRecord) -> Behaviour {
    if request.method == "POST", let choose = state.withLock({ $0.forms[request.path] }) { return choose(request) }
    guard ["GET", "HEAD"].contains(request.method) else { return Self.methodNotAllowed }
    // The closure runs outside the lock, so that it may change the routes.
    let route = state.withLock { state in
      let key = state.routes[request.target] == nil ? request.path : request.target
      let route = state.routes[key] ?? state.fallback
      if case .script(let behaviours, let next) = route {
        state.routes[key] = .script(behaviours, next: min(next + 1, behaviours.count - 1))
      }
      return route
    }
    switch route {
    case .script(let behaviours, let next): return behaviours[next]
    case .choice(let choose): return choose(request)
    }
  }
}
