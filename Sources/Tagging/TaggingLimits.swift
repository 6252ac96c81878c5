import PodfluxCore

/// What tagging one file may cost: TagLib reads what a server has sent.
package enum TaggingLimits {
  /// The longest file that is tagged, in bytes: most formats are rewritten as a whole.
  package static let fileBytes: Int64 = 2 << 30
  /// The longest cover, in bytes.
  package static let coverBytes = Int64(TagMaterial.pictureBytes)
  /// How much longer than the original a copy may become, in bytes: the cover, in base64 for Ogg, the texts, and
  /// padding.
  package static let growthBytes: Int64 = 8 << 20
  /// The memory that the worker may map beside what it has at its start, in bytes.
  package static let memoryBytes: UInt64 = 192 << 20
  /// The longest text, in bytes of UTF-8; longer ones are cut.
  package static let textBytes = 2048
  /// The longest order, in bytes: texts and chapters in JSON, which may need six bytes for one.
  static let orderBytes = 512 << 10
  /// How long reading the tags of a file may take, in seconds.
  package static let readingSeconds = 10
  /// The longest answer of a worker that has read tags, in bytes of JSON.
  static let answerBytes = 64 << 10
  /// How many files the worker may have open: its own and some more of the C library.
  static let openFiles: UInt64 = 32

  /// How long it may take for a file of so many bytes: half a minute, and a second for each 4 MiB.
  package static func seconds(forBytes length: Int64) -> Int { 30 + Int(length >> 22) }
}
