import Foundation

/// The commit whose tests run: random tests take their seeds from it, so that each commit has other ones, and each run
/// of one commit the same.
package struct TestedCommit: Sendable {
  /// The first eight digits of its name, as a number.
  package let number: UInt64

  /// The commit of the clone that this file was built from.
  ///
  /// - Throws: `Unknown` if git does not name it. Cost: a child process, once.
  package static func current() throws -> TestedCommit { try checkedOut.get() }

  private static let checkedOut = Result { try TestedCommit(named: nameOfHead()) }

  /// What git said instead of a commit's name.
  package struct Unknown: Error {
    package let said: String
  }

  package init(named name: String) throws {
    guard name.count >= 40, let number = UInt64(name.prefix(8), radix: 16) else { throw Unknown(said: name) }
    self.number = number
  }

  private static func nameOfHead() throws -> String {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
    // The clone may belong to another user.
    let git = try EndedProgram("/usr/bin/env", ["git", "-c", "safe.directory=*", "-C", folder, "rev-parse", "HEAD"])
    guard git.status == 0 else { throw Unknown(said: git.output) }
    return git.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
