/// What `--progress` says.
package enum ProgressChoice: String, CaseIterable, Sendable {
  /// A live table on a terminal, plain lines elsewhere.
  case auto
  /// A line for each event.
  case plain
  /// Nothing.
  case none
}

/// What `--color` says.
package enum ColorChoice: String, CaseIterable, Sendable {
  /// On a terminal, unless `NO_COLOR` is set.
  case auto
  case always
  case never
}

/// How a stream is written to: decided once for each of stdout and stderr.
package struct DisplayMode: Sendable, Hashable {
  /// How progress is shown.
  package enum Progress: Sendable {
    /// A table that is redrawn in place.
    case live
    /// A line for each event.
    case plain
    case none
  }

  package let progress: Progress
  package let usesColor: Bool

  /// Decides by the options, the stream and the variables `TERM` and `NO_COLOR` (no-color.org: set and not empty).
  ///
  /// A terminal without a name, or one that calls itself dumb, obeys no control sequence.
  package init(
    progress: ProgressChoice, color: ColorChoice, isTerminal: Bool, environment: [String: String]
  ) {
    let name = environment["TERM"] ?? ""
    let obeys = isTerminal && !name.isEmpty && name != "dumb"
    switch progress {
    case .auto: self.progress = obeys ? .live : .plain
    case .plain: self.progress = .plain
    case .none: self.progress = .none
    }
    switch color {
    case .auto: usesColor = obeys && (environment["NO_COLOR"] ?? "").isEmpty
    case .always: usesColor = true
    case .never: usesColor = false
    }
  }
}
