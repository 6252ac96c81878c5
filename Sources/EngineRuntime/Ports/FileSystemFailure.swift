/// Why something could not be done with files: one sentence for people, in the file system's own words.
public struct FileSystemFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The sentence, without a full stop.
  public let description: String

  /// Makes a failure of a sentence without a full stop.
  public init(_ description: String) {
    self.description = description
  }
}
