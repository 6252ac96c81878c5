import GRDB

/// Rules: migration 18.
extension Schema {
  static func addRules(to db: Database) throws {
    try db.execute(sql: rules)
  }

  /// `rule_line` and `allowance` say how far a feed's rules have come, `rules_at` when they are due. `ruled` is the
  /// kind of `ruling`, what a rule has last done about an episode: 1 for downloaded, 2 for deleted, 3 for passed over.
  ///
  /// `episodes_ruled` has what rules have downloaded in the order in which the storage quota deletes it.
  private static let rules = """
    ALTER TABLE feeds ADD COLUMN rules TEXT CHECK (rules IS NULL OR json_valid(rules));
    ALTER TABLE feeds ADD COLUMN rule_line INTEGER CHECK (rule_line >= 0);
    ALTER TABLE feeds ADD COLUMN allowance INTEGER NOT NULL DEFAULT 0 CHECK (allowance >= 0);
    ALTER TABLE feeds ADD COLUMN rules_at INTEGER;
    CREATE INDEX feeds_rules_due ON feeds (rules_at) WHERE rules_at IS NOT NULL;
    ALTER TABLE episodes ADD COLUMN backdated INTEGER NOT NULL DEFAULT 0 CHECK (backdated IN (0, 1));
    ALTER TABLE episodes ADD COLUMN ruled INTEGER CHECK (ruled BETWEEN 1 AND 3);
    ALTER TABLE episodes ADD COLUMN ruling TEXT CHECK (
      (ruling IS NULL) = (ruled IS NULL) AND (ruling IS NULL OR json_valid(ruling)));
    CREATE INDEX episodes_ruled ON episodes (\(StoredRuledEpisode.moment), added_at, key DESC) WHERE ruled = 1;
    """
}
