import PodfluxCore

/// The permanent properties of a link.
struct LinkTraits: Hashable, Sendable {
  var interface: NetworkPath.Interface
  /// Whether its packets leave the machine over another link.
  var isTunnel = false
}
