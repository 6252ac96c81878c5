import Terminal

/// The results of the demo's checks.
struct Checklist {
  private struct Point {
    let sentence: String
    let isTrue: Bool
  }

  private var points: [Point] = []

  /// Whether all checks hold, and there are any.
  var isPassed: Bool { !points.isEmpty && points.allSatisfy(\.isTrue) }

  mutating func add(_ sentence: String, _ isTrue: Bool) {
    points.append(Point(sentence: sentence, isTrue: isTrue))
  }

  func show(on screen: Screen) {
    screen.announce("Checks")
    for point in points {
      let mark = point.isTrue ? StyledText("✓", .good) : StyledText("✗", .bad)
      screen.say(StyledText("  ") + mark + StyledText(" " + point.sentence))
    }
    let failed = points.count { !$0.isTrue }
    screen.announce(
      failed == 0 ? "All \(points.count) checks hold." : "\(failed) of \(points.count) checks do not hold.")
  }
}
