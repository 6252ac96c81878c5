import PodfluxCore

/// Notes of episodes.
extension RefreshAttempt {
  /// Whether the notes of the feed's episodes are read.
  var keepsNotes: Bool { refresh.settings.sidecars.contains(.notes) }

  /// What the server has said of the last body; nil where its notes are wanted and were not read: then the body is read
  /// again although it may not have changed.
  var usableValidators: FeedValidators? {
    let validators = refresh.feed.refreshes.validators
    return validators.hasNotes || !keepsNotes ? validators : nil
  }
}
