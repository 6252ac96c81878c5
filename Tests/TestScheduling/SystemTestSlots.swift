/// The slots of system tests. Tests that need the whole machine run last, one after the other.
actor SystemTestSlots {
  static let shared = SystemTestSlots(count: 3)

  private typealias Waiter = CheckedContinuation<Void, Never>

  private let count: Int
  private var free: Int
  private var partsWaiting: [Waiter] = []
  private var wholesWaiting: [Waiter] = []

  /// - Parameter count: How many tests that share the machine run at once.
  init(count: Int) {
    self.count = count
    free = count
  }

  /// Waits for a slot of this kind.
  func take(_ share: SystemTestTrait.Share) async {
    let wanted = slots(share)
    guard wanted > 0 else { return }
    guard free < wanted || (share == .whole && !partsWaiting.isEmpty) else {
      free -= wanted
      return
    }
    await withCheckedContinuation { waiter in
      switch share {
      case .all: waiter.resume()
      case .part: partsWaiting.append(waiter)
      case .whole: wholesWaiting.append(waiter)
      }
    }
  }

  /// Passes the slot to a waiting test.
  func giveBack(_ share: SystemTestTrait.Share) {
    free += slots(share)
    while free > 0, !partsWaiting.isEmpty {
      free -= 1
      partsWaiting.removeFirst().resume()
    }
    guard free == count, !wholesWaiting.isEmpty else { return }
    free = 0
    wholesWaiting.removeFirst().resume()
  }

  private func slots(_ share: SystemTestTrait.Share) -> Int {
    switch share {
    case .all: 0
    case .part: 1
    case .whole: count
    }
  }
}
