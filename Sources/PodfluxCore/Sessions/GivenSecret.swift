/// A secret as a client gives it, on its way from a line to the vault: the shell puts it there before a turn sees the intent,
/// which then has the reference in its place.
public enum GivenSecret: Hashable, Sendable {
  /// The secret itself.
  case text(String)
  /// The absolute path of a file that has it, without the line end at its end.
  case file(String)
  /// The absolute path of a netrc file (curl(1), `--netrc-file`), which is read for each request: name and password are
  /// those of the request's host.
  case netrc(String)
}

extension GivenSecret: CustomStringConvertible, CustomReflectable {
  /// Nothing of it: a text of it may reach a log.
  public var description: String { "a given secret" }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
