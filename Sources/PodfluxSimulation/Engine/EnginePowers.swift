import PodfluxCore

/// What an engine may do by itself: that of a command may not do everything.
struct EnginePowers {
  var mayCleanUp = true
  var mayDownload = true
  var mayDeleteOwed = true

  /// What the engine tells its stores of them, by a sabotage more than is true.
  func told(_ sabotage: Sabotage?, in recovery: Recovery) -> Recovery {
    var recovery = recovery
    recovery.mayCleanUp = mayCleanUp || sabotage == .commandCleansUp
    recovery.mayDownload = mayDownload || sabotage == .commandDownloads
    recovery.mayDeleteOwed = mayDeleteOwed || sabotage == .commandDeletesOwed
    return recovery
  }
}

extension World {
  /// What the next engine may do.
  func drawPowers() -> EnginePowers {
    guard suffers(.commands), random.once(in: 2) else { return EnginePowers() }
    let powers = EnginePowers(
      mayCleanUp: random.once(in: 2), mayDownload: random.once(in: 2), mayDeleteOwed: random.once(in: 2))
    noteTrouble("the next engine is a command's: \(powers)")
    return powers
  }
}
