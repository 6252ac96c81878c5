/// The rules of the architecture and of the style that the text alone can show.
enum SourceRules {
  /// The longest file, in lines.
  static let maximumLines = 400
  /// The widest comment, in columns. The format check sees to the code.
  static let maximumColumns = 120

  /// The modules of the project and of other packages that each target may import. The arrows point down only.
  static let allowedImports: [String: Set<String>] = [
    "podflux": [
      "CLinux", "CSQLite", "Digests", "PodfluxClient", "PodfluxEngine", "PodfluxPeople", "WireProtocol", "PodfluxCore",
      "Flux", "Processes", "PrometheusMetrics", "Tagging", "Terminal", "ArgumentParser", "Logging",
    ],
    "PodfluxPeople": ["CLinux", "PodfluxClient", "WireProtocol", "PodfluxCore", "Flux", "Terminal", "Texts", "Yams"],
    "PodfluxClient": ["WireProtocol", "PodfluxCore", "Flux"],
    "PodfluxEngine": [
      "EngineRuntime", "WireProtocol", "Transfers", "Digests", "Feeds", "FileNames", "FileStore", "Reachability",
      "Persistence",
      "PodfluxCore", "Tagging", "Vault", "CLinux",
      "Flux", "CoreMetrics", "Logging",
    ],
    "PrometheusMetrics": ["CLinux", "CoreMetrics"],
    "PodfluxSimulation": [
      "EngineRuntime", "FileNames", "Persistence", "PodfluxCore", "Flux", "Digests", "WireProtocol",
    ],
    "WireProtocol": ["PodfluxCore", "Flux", "Texts"],
    "Transfers": ["EngineRuntime", "PodfluxCore", "Flux", "CBrotli", "CCurl", "CLinux", "CZlib"],
    // How a file is replaced so that it survives a power cut is written once, in FileStore.
    "Vault": ["EngineRuntime", "FileStore", "PodfluxCore", "Flux", "CCrypto", "Digests"],
    "EngineRuntime": ["Feeds", "PodfluxCore", "Flux", "Digests", "Texts"],
    "Digests": ["PodfluxCore", "CCrypto"],
    "Feeds": ["PodfluxCore", "Flux", "Texts"],
    "FileNames": ["PodfluxCore"],
    "FileStore": ["PodfluxCore", "Flux", "CLinux"],
    "Reachability": ["PodfluxCore", "Flux", "CLinux"],
    "Tagging": ["PodfluxCore", "Digests", "Processes", "CLinux", "CTagging"],
    "Processes": ["CLinux"],
    "Persistence": ["PodfluxCore", "Flux", "Texts", "GRDB", "CSQLite"],
    "Texts": [],
    "PodfluxCore": ["Flux"],
    "Flux": ["Synchronization"],
    // Glibc for one file, which writes to a descriptor and asks it for its size.
    "Terminal": ["Glibc"],
    "ScriptedOrigin": ["NIOCore", "NIOHTTP1", "NIOPosix", "CCrypto", "CTLS"],
    "TestSupport": ["CLinux"],
    "podflux-demo": ["ScriptedOrigin", "Terminal", "TestSupport"],
    "podflux-bench": ["CCurl", "PodfluxCore", "PodfluxEngine", "ScriptedOrigin", "TestSupport", "ArgumentParser"],
    "podflux-sim": ["CSQLite", "PodfluxSimulation", "ArgumentParser"],
  ]

  /// The modules of the toolchain, which all but the pure targets may import.
  static let systemModules: Set<String> = [
    "Foundation", "Dispatch", "Glibc", "Synchronization", "FoundationXML", "FoundationEssentials", "Observation",
  ]

  /// The targets that read no clock, generate no ids or random numbers, and touch no files and threads.
  static let pureTargets: Set<String> = ["Flux", "PodfluxCore", "EngineRuntime", "Feeds", "Terminal"]

  /// The targets with something that a program which embeds an engine sees. The others share with each other by
  /// `package`.
  static let embeddedTargets: Set<String> = ["Flux", "PodfluxCore", "PodfluxEngine", "Tagging"]

  /// A violated rule.
  struct Violation: Hashable, CustomStringConvertible {
    var path: String
    var line: Int
    var rule: String

    var description: String { "\(path):\(line): \(rule)" }
  }

  static func violations(in file: SourceFile) -> [Violation] {
    importViolations(in: file) + textViolations(in: file) + lengthViolations(in: file)
  }

  private static func importViolations(in file: SourceFile) -> [Violation] {
    guard let ownModules = allowedImports[file.target] else {
      return [Violation(path: file.path, line: 1, rule: "the target \(file.target) is not in the table of arrows")]
    }
    let allowed = pureTargets.contains(file.target) ? ownModules : ownModules.union(systemModules)
    return file.imports.filter { !allowed.contains($0.module) }.map {
      Violation(path: file.path, line: $0.line, rule: "\(file.target) may not import \($0.module)")
    }
  }

  private static func textViolations(in file: SourceFile) -> [Violation] {
    var violations: [Violation] = []
    for (index, (line, code)) in zip(file.lines, file.code).enumerated() {
      func report(_ rule: String) {
        violations.append(Violation(path: file.path, line: index + 1, rule: rule))
      }
      if unfinished.contains(where: { occurrences(of: $0, in: line) > 0 }) {
        report("unfinished work is an issue, not a comment")
      }
      if line.drop(while: \.isWhitespace).hasPrefix("//"), line.count > maximumColumns {
        report("a comment wider than \(maximumColumns) columns")
      }
      if occurrences(of: "try!", in: code) > 0 { report("try! turns an operating error into a trap") }
      if occurrences(of: "as!", in: code) > 0 { report("as! turns a surprise into a trap") }
      if keepsClosureInMutex(code) {
        report("a closure in a Mutex gets a wrapper more each time it is opened, until the stack is full of them")
      }
      if raisedPriorities.contains(where: { code.contains($0) }) {
        report("a raised priority is root's alone on Linux, and libdispatch logs each refusal: .default is the highest")
      }
      if !embeddedTargets.contains(file.target), code.split(separator: " ").contains("public") {
        report("no program outside the package sees \(file.target): what it shares is package")
      }
      guard pureTargets.contains(file.target) else { continue }
      for word in impureWords where occurrences(of: word, in: code) > 0 {
        report("\(word) has no place in a pure target")
      }
      let draws = drawingCalls.reduce(0) { $0 + code.ranges(of: $1).count }
      if draws > occurrences(of: "using:", in: code) { report("a random draw without `using:`") }
    }
    return violations
  }

  private static let unfinished = ["TODO", "FIXME", "XXX"]

  /// Qualities of service for which libdispatch calls setpriority(2) with a negative value. The kernel refuses that to
  /// all users but root (EACCES), and libdispatch writes a line to syslog for each thread to which it happens: a
  /// daemon's journal had 17,000 of them a day. For its own thread that watches descriptors and timers libdispatch does
  /// so once at each start, which no program can change.
  private static let raisedPriorities = [".userInitiated", ".userInteractive", "Task(priority:"]

  /// Whether a line declares a `Mutex` of a function, or of a tuple with one. Inside an object or a struct it is
  /// allowed.
  private static func keepsClosureInMutex(_ code: String) -> Bool {
    guard let start = code.range(of: "Mutex<")?.upperBound else { return false }
    var depth = 1
    for index in code.indices[start...] {
      switch code[index] {
      case "<": depth += 1
      case "-" where code[index...].hasPrefix("->"): return true
      case ">": depth -= 1
      default: break
      }
      if depth == 0 { return false }
    }
    return false
  }

  /// Words that make a turn impossible to replay.
  private static let impureWords = [
    "Date(", "UUID(", "DispatchQueue", "DispatchSource", "DispatchSemaphore", "FileManager", "FileHandle",
    "ProcessInfo", "Thread", "Task {", "Task.", "SystemRandomNumberGenerator", "ContinuousClock", "SuspendingClock",
    "clock_gettime", "getenv", "print(",
  ]

  private static let drawingCalls = [".random(", ".shuffled(", ".shuffle(", ".randomElement("]

  /// How often a text contains this word as the beginning of a word.
  private static func occurrences(of word: String, in text: String) -> Int {
    guard text.contains(word) else { return 0 }
    return text.ranges(of: word).count { range in
      guard range.lowerBound > text.startIndex else { return true }
      let previous = text[text.index(before: range.lowerBound)]
      return !previous.isLetter && !previous.isNumber && previous != "_"
    }
  }

  private static func lengthViolations(in file: SourceFile) -> [Violation] {
    guard file.lines.count > maximumLines else { return [] }
    return [
      Violation(path: file.path, line: maximumLines, rule: "a file of \(file.lines.count) lines holds two concepts")
    ]
  }
}
