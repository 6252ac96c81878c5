import PodfluxCore

/// Which refreshes may have an exchange, and which wait until they may.
///
/// More refreshes are under way than have a slot. So the next request is ready when a slot becomes free, no connection
/// idles while a commit waits for the disk, and one commit has what many refreshes have found. A refresh keeps its slot
/// until it has nothing more to tell: that bounds what all of them hold in memory.
///
/// The product's service and the simulator share it.
package struct ExchangeSlots {
  private let (slots, slotsPerHost): (Int, Int)
  /// The hosts of the refreshes that have a slot.
  private var hosts: [FeedRefresh.ID: String] = [:]
  /// Those that wait, in the order of their coming.
  private var waiting: [(refresh: FeedRefresh.ID, host: String)] = []

  /// - Parameters:
  ///   - slots: How many refreshes may have an exchange.
  ///   - slotsPerHost: How many of them with one host.
  package init(_ slots: Int = RefreshLimits.exchanges, perHost slotsPerHost: Int = RefreshLimits.exchangesPerHost) {
    (self.slots, self.slotsPerHost) = (slots, slotsPerHost)
  }

  /// Asks for a slot for an exchange with a host. A slot that the refresh has for another host becomes free.
  ///
  /// - Returns: The refreshes that may begin their exchanges now, this one perhaps among them.
  package mutating func ask(for refresh: FeedRefresh.ID, on host: String) -> [FeedRefresh.ID] {
    if hosts[refresh] == host { return [refresh] }
    hosts[refresh] = nil
    waiting.append((refresh, host))
    return fill()
  }

  /// Takes a refresh out that has nothing more to tell, or wants an exchange no more, whether it has a slot or waits
  /// for one.
  ///
  /// - Returns: The refreshes that may begin their exchanges now.
  package mutating func leave(_ refresh: FeedRefresh.ID) -> [FeedRefresh.ID] {
    waiting.removeAll { $0.refresh == refresh }
    hosts[refresh] = nil
    return fill()
  }

  private mutating func fill() -> [FeedRefresh.ID] {
    var filled: [FeedRefresh.ID] = []
    while hosts.count < slots, let index = waiting.firstIndex(where: { hasSlot($0.host) }) {
      let (refresh, host) = waiting.remove(at: index)
      hosts[refresh] = host
      filled.append(refresh)
    }
    return filled
  }

  private func hasSlot(_ host: String) -> Bool { hosts.values.count { $0 == host } < slotsPerHost }
}
