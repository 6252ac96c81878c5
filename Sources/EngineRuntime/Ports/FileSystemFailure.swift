/// Why something could not be done with files: one sentence for people, in the file system's own words.
package struct FileSystemFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The sentence, without a full stop.
  package let description: String
  /// Whether the disk is full, or has less room than is to be kept free.
  package let lacksRoom: Bool

  /// Makes a failure of a sentence without a full stop.
  package init(_ description: String, lacksRoom: Bool = false) {
    self.description = description
    self.lacksRoom = lacksRoom
  }
}
