import PodfluxCore

/// What a link is, as far as it is no matter of the moment.
struct LinkTraits: Hashable, Sendable {
  /// What kind of link it is.
  var interface: NetworkPath.Interface
  /// Whether its packets leave the machine over another link.
  var isTunnel = false
}
