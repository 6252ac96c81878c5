/// A bar that shows a share.
enum ProgressBar {
  /// A bar so many columns wide; empty for an unknown whole.
  static func bar(_ received: Int64, of total: Int64?, width: Int) -> StyledText {
    let share = total.map { Double(received) / Double(max(1, $0)) } ?? 0
    let halves = Int(min(1, max(0, share)) * Double(2 * width))
    let (full, half) = halves.quotientAndRemainder(dividingBy: 2)
    return StyledText(String(repeating: "━", count: full) + (half > 0 ? "╸" : ""), .accent)
      + StyledText(String(repeating: "╌", count: width - full - half), .dim)
  }
}
