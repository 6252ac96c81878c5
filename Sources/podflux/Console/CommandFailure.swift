import ArgumentParser
import Foundation
import PodfluxClient
import PodfluxCore
import PodfluxEngine
import PodfluxPeople

extension ExitCode {
  /// The same later may succeed, or has work left (sysexits.h EX_TEMPFAIL).
  static let later = ExitCode(75)
  /// A server wants credentials (sysexits.h EX_NOPERM).
  static let credentialsNeeded = ExitCode(77)
  /// Ended by the keyboard: 128 and SIGINT, as shells count.
  static let interrupted = ExitCode(130)
}

extension Console {
  /// Runs a command's work, says in words why it fails, and ends the command with the status for it.
  func reporting<Value>(_ work: () throws -> Value) throws -> Value {
    do {
      let value = try work()
      try checkOutput()
      return value
    } catch let failure as SelectionFailure {
      for (number, line) in failure.lines.enumerated() {
        if number == 0 { complain(line) } else { errors.write(line: line) }
      }
      if case .ambiguous = failure { throw ExitCode.wrongUsage }
      throw ExitCode.failure
    } catch let refusal as EngineRefusal {
      complain(refusal.words)
      throw refusal.concernsArguments ? ExitCode.wrongUsage : ExitCode.failure
    } catch let failure as ConnectionFailure {
      if failure == .interrupted { throw ExitCode.interrupted }
      complain(failure.description)
      switch failure {
      // There will be room for one more client.
      case .turnedAway(let refusal) where refusal.is(.limitExceeded): throw ExitCode.later
      case .silent: throw ExitCode.later
      default: throw ExitCode.failure
      }
    } catch let error as LibraryWithoutSocket {
      complain(error.description)
      throw ExitCode.later
    } catch let owner as LibraryOwner {
      complain(owner.description)
      throw ExitCode.wrongUsage
    } catch let error as EngineError {
      throw giveUp(error)
    } catch let failure as SocketFailure {
      throw giveUp(failure)
    } catch let error as MalformedLine {
      complain("the library answers what is not of the protocol: \(error)")
      throw ExitCode.failure
    }
  }
}
