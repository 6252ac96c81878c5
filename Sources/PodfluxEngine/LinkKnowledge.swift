import PodfluxCore
import Reachability

/// What whoever starts an engine knows of the machine's links, and the kernel does not.
public struct LinkKnowledge: Hashable, Sendable {
  /// What kind some devices are.
  public var interfaces: [String: NetworkPath.Interface]
  /// Devices whose bytes cost money.
  public var metered: Set<String>

  /// Nothing is known, unless something is given.
  public init(interfaces: [String: NetworkPath.Interface] = [:], metered: Set<String> = []) {
    self.interfaces = interfaces
    self.metered = metered
  }

  var overrides: LinkOverrides { LinkOverrides(interfaces: interfaces, metered: metered) }
}
