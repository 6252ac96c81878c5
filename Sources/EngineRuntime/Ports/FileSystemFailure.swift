/// Why something could not be done with files: one sentence for people, in the file system's own words.
public struct FileSystemFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The sentence, without a full stop.
  public let description: String
  /// Whether the disk is full, or has less room than is to be kept free.
  public let lacksRoom: Bool

  /// Makes a failure of a sentence without a full stop.
  public init(_ description: String, lacksRoom: Bool = false) {
    self.description = description
    self.lacksRoom = lacksRoom
  }
}
