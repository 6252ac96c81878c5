/// What a client wants: the actions that a program dispatches.
///
/// It is one reference: an intent is handed from the line that says it through queues and lists to each store, and the
/// largest has hundreds of bytes.
///
/// ```swift
/// _ = try await podflux.dispatch(.downloads(.pause(.all)))
/// ```
public indirect enum Intent: Hashable, Sendable {
  /// Something of the downloads.
  case downloads(DownloadIntent)
  /// Something of feeds or episodes.
  case podcasts(PodcastIntent)
  /// Other settings.
  case updateSettings(SettingsPatch)
  /// Something of sessions.
  case sessions(SessionIntent)
  /// Something of the filters.
  case filters(FilterIntent, over: FilterSubject = .downloads)
  /// Something of the network.
  case network(NetworkIntent)
  /// Rows and files compared, or compared no more.
  case cleanup(CleanupIntent)
  /// The end of the engine's work; the end of input and signals mean it too.
  case stop(StopMode)
}

/// How the engine's work ends. The intent only asks for it; `Podflux.stop` and `Podflux.suspend` wait for it too.
///
/// ```swift
/// _ = try await podflux.dispatch(.stop(.drain))
/// ```
public enum StopMode: String, Hashable, Sendable, Comparable {
  /// Goes on until nothing can move any more.
  case drain
  /// Checkpoints what runs, and gives the library up until it is taken again.
  case suspend
  /// Checkpoints what runs, and stops.
  case now

  /// Orders by urgency.
  public static func < (lhs: Self, rhs: Self) -> Bool {
    lhs.urgency < rhs.urgency
  }

  private var urgency: Int {
    switch self {
    case .drain: 0
    case .suspend: 1
    case .now: 2
    }
  }
}
