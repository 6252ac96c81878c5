import ArgumentParser
import Foundation

/// A program that is run for each completed download, without a shell.
struct HookCommand: Sendable {
  /// The range of the time limit of a run, in seconds.
  static let limits = 1...86_400
  /// How long a run may take unless an option says otherwise, in seconds.
  static let standardLimit = 600

  /// The executable file's absolute path, then its arguments.
  let words: [String]
  let limitSeconds: Int

  /// - Throws: `ValidationError` if the file cannot be executed.
  init(path: String, arguments: [String], limitSeconds: Int) throws {
    let file = URL(filePath: path).path(percentEncoded: false)
    var status = stat()
    guard stat(file, &status) == 0 else {
      throw ValidationError("--on-complete takes the path of a program: \(path): \(String(cString: strerror(errno)))")
    }
    guard status.st_mode & S_IFMT == S_IFREG, access(file, X_OK) == 0 else {
      throw ValidationError("--on-complete takes the path of a program, and \(path) is no executable file")
    }
    words = [file] + arguments
    self.limitSeconds = limitSeconds
  }

  /// The file's name, for logs.
  var name: String { URL(filePath: words[0]).lastPathComponent }
}

/// The options about the program that is run for each completed download.
struct HookOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("A program to run for each completed download, with its item on stdin.", valueName: "path"))
  var onComplete: String?

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("An argument for the program of --on-complete; can be repeated.", valueName: "argument"))
  var onCompleteArgument: [String] = []

  @Option(
    help: ArgumentHelp("How long each run of the program may take; 600 by default.", valueName: "seconds"))
  var onCompleteSeconds: Int?

  func validate() throws {
    if onComplete == nil, !onCompleteArgument.isEmpty || onCompleteSeconds != nil {
      throw ValidationError("--on-complete-argument and --on-complete-seconds need --on-complete")
    }
    if let seconds = onCompleteSeconds, !HookCommand.limits.contains(seconds) {
      let limits = HookCommand.limits
      throw ValidationError("--on-complete-seconds takes \(limits.lowerBound) to \(limits.upperBound)")
    }
    _ = try command
  }

  /// The program; nil if none is wanted.
  var command: HookCommand? {
    get throws {
      try onComplete.map {
        try HookCommand(
          path: $0, arguments: onCompleteArgument, limitSeconds: onCompleteSeconds ?? HookCommand.standardLimit)
      }
    }
  }
}
