import GRDB

/// What tells the engine's own files and folders from those of others: migration 9.
extension Schema {
  /// `mtime` is when the published file was written to last, in nanoseconds (see `PublishedFile.modifiedNanoseconds`),
  /// `modified_at` when somebody has changed it since, in milliseconds. Of files that were published before nothing is known.
  ///
  /// Nor is it known who has made the folders that there are: none of them is taken for the engine's any more.
  static func tellFilesOfOthers(in db: Database) throws {
    try db.execute(
      sql: """
        ALTER TABLE downloads ADD COLUMN mtime INTEGER CHECK (mtime IS NULL OR path IS NOT NULL);
        ALTER TABLE downloads ADD COLUMN modified_at INTEGER CHECK (modified_at IS NULL OR state = 'completed');
        DELETE FROM folders;
        CREATE INDEX former_files_lost ON former_files (file_length) WHERE cause = 'missing' AND sha256 IS NULL;
        """)
  }
}
