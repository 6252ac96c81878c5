import GRDB

/// Distinguishes the engine's files and folders from the user's: migration 9.
extension Schema {
  /// `mtime` is the time of the published file's last write, in nanoseconds (see `PublishedFile.modifiedNanoseconds`),
  /// `modified_at` the time at which another program's edit was noticed, in milliseconds. Both are unknown for older
  /// files.
  ///
  /// The creators of existing folders are unknown too: none of these counts as the engine's any more.
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
