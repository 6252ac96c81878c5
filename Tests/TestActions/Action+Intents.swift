import PodfluxCore

/// Tests hand intents and facts to stores as actions, often both in one list: an intent is an action as it is.
extension Action {
  package static func downloads(_ intent: DownloadIntent) -> Action { .intent(.downloads(intent)) }
  package static func podcasts(_ intent: PodcastIntent) -> Action { .intent(.podcasts(intent)) }
  package static func updateSettings(_ patch: SettingsPatch) -> Action { .intent(.updateSettings(patch)) }
  package static func sessions(_ intent: SessionIntent) -> Action { .intent(.sessions(intent)) }
  package static func network(_ intent: NetworkIntent) -> Action { .intent(.network(intent)) }
  package static func cleanup(_ intent: CleanupIntent) -> Action { .intent(.cleanup(intent)) }
  package static func stop(_ mode: StopMode) -> Action { .intent(.stop(mode)) }

  package static func filters(_ intent: FilterIntent, over subject: FilterSubject = .downloads) -> Action {
    .intent(.filters(intent, over: subject))
  }
}
