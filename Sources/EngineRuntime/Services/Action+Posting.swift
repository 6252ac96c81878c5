import PodfluxCore

extension Action {
  /// Posts this fact of a service. If it reports a failure that may come of a lost path, `readPath` is called first,
  /// and posts the path if it has changed: the stores then know of the loss before they judge the failure.
  package func post(through post: (Action) -> Void, readingPath readPath: () -> Void) {
    if mayComeOfLostPath { readPath() }
    post(self)
  }
}
