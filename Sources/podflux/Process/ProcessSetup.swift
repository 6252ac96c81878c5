import CLinux
import CSQLite
import Foundation
import PodfluxEngine

/// What an engine's process must have before it has other threads: signals that wait, and the service manager's words.
struct ProcessSetup {
  let signals: HeldSignals
  let notifier: Notifier?
  /// How many files the process may have open.
  private let fileLimit: rlim_t

  /// With fewer open files an engine cannot even take in the client of its own command.
  private static let neededFiles: rlim_t = 64

  /// To be called first.
  init() {
    signals = Podflux.signals ?? HeldSignals()
    notifier = Notifier.takeFromEnvironment()
    signal(SIGPIPE, SIG_IGN)
    // A parent may have it ignored, and exec(3) keeps that: the kernel forgets then how a child has ended, and the
    // tagger and commands for completions are children.
    signal(SIGCHLD, SIG_DFL)
    // A write beyond the file size limit must return an error instead of ending the process.
    signal(SIGXFSZ, SIG_IGN)
    // SQLite's connections share memory over the file podflux.sqlite-shm. A copy-on-write file system such as btrfs
    // needs space for each change of it, and the kernel sends SIGBUS if the disk is full or the user's quota is
    // exceeded.
    linux_end_on_bus_error()
    fileLimit = allowManyFiles()
    keepFreedMemory()
    sqlite_process_ease_allocation()
  }

  /// Makes sure that an engine can work with what this process may use.
  func check() throws(EngineError) {
    guard fileLimit < Self.neededFiles else { return }
    throw .cannotStart(
      "at most \(fileLimit) files may be open, and Podflux needs \(Self.neededFiles) (ulimit -n, LimitNOFILE=)")
  }
}

/// Each transfer needs a socket and a file: raises the usual soft limit of 1,024 descriptors as far as allowed.
/// Returns the limit then.
private func allowManyFiles() -> rlim_t {
  var limit = rlimit()
  guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
  let usual = limit.rlim_cur
  limit.rlim_cur = limit.rlim_max
  // If the system refuses, the engine works with the limit it has.
  return setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 ? limit.rlim_cur : usual
}

/// Makes malloc keep some MiB of freed memory. Each transfer allocates a buffer of some 100 KiB and frees it; by
/// default glibc returns such memory to the kernel at once, and the next one costs page faults: 30 for each small file.
///
/// Uses few heaps: the default of eight per core fills over time, and each has gaps. After 50,000 downloads with 16 at
/// once on 2 cores, 92 MiB were resident with those sixteen and 72 with four; with two, threads wait for each other.
private func keepFreedMemory() {
  linux_keep_freed_memory(4 << 20, 8 << 20, 4)
}
