import Foundation

/// A disk for one test, of a kind that users have: mounted in a private namespace (mount_namespaces(7)), and removed
/// with it.
///
/// A shell keeps the namespace. Its input is a pipe from this process: if this process dies in any way, the shell runs
/// to its end, where it kills the server of a FUSE disk and detaches the disk. It requires root.
package final class PrivateDisk: Sendable {
  /// The kind of file system.
  package enum Kind: String, Sendable, CaseIterable {
    /// exFAT on a loop device, over FUSE: no links, no renames without replacing, no lasting inodes, not
    /// case-sensitive.
    case exfat
    /// Two merged folders, as on a home server, without a page cache: no shared memory (mmap).
    case mergerfs
    /// A folder mounted at another path, over FUSE.
    case bindfs
    /// An overlay of two folders, as in a container.
    case overlay
    /// ext4 on a loop device.
    case ext4

    /// The commands that it needs.
    fileprivate var tools: [String] {
      switch self {
      case .exfat: ["mkfs.exfat", "mount.exfat-fuse", "losetup"]
      case .mergerfs: ["mergerfs"]
      case .bindfs: ["bindfs"]
      case .overlay: []
      case .ext4: ["mkfs.ext4", "losetup"]
      }
    }

    /// The shell commands that mount it on "mount". A FUSE server runs in the foreground, as a background job of the
    /// shell. A loop device is released at once: the kernel frees it after the last close.
    fileprivate var mounting: String {
      switch self {
      case .exfat:
        """
        truncate -s 64M image; mkfs.exfat image; loop=$(losetup --find --show image)
        mount.exfat-fuse -d $loop mount >/dev/null 2>&1 & server=$!; await; losetup -d $loop
        """
      case .mergerfs: "mkdir one two; mergerfs -f -o cache.files=off one:two mount & server=$!; await"
      case .bindfs: "mkdir one; bindfs -f one mount & server=$!; await"
      case .overlay:
        """
        mkdir layers; mount -t tmpfs layers layers; mkdir layers/lower layers/upper layers/work
        mount -t overlay overlay -o lowerdir=layers/lower,upperdir=layers/upper,workdir=layers/work mount; await
        """
      case .ext4:
        """
        truncate -s 64M image; mkfs.ext4 -q image; loop=$(losetup --find --show image)
        mount $loop mount; losetup -d $loop; await
        """
      }
    }
  }

  private let folder: TemporaryFolder
  private let keeper: Child

  /// Why this machine cannot mount this kind; nil if it can.
  package static func unavailability(of kind: Kind) -> String? {
    do {
      _ = try PrivateDisk(kind)
      return nil
    } catch {
      return "no \(kind.rawValue) can be mounted here: \(error)"
    }
  }

  /// Mounts an empty disk.
  package init(_ kind: Kind) throws {
    guard geteuid() == 0 else { throw PodfluxProcess.Failure("this takes root") }
    for tool in kind.tools where Self.path(of: tool) == nil {
      throw PodfluxProcess.Failure("the command \(tool) is not installed")
    }
    guard let unshare = Self.path(of: "unshare") else { throw PodfluxProcess.Failure("unshare is not installed") }
    folder = try TemporaryFolder("podflux-disk")
    keeper = try Child(
      [
        unshare, "--mount", "--propagation", "private", "/bin/sh", "-c",
        Self.script(kind), "disk", folder.path,
      ], logPath: folder.path + "/log")
    // The shell writes one line, or dies: either ends the read.
    var byte: UInt8 = 0
    guard read(keeper.output, &byte, 1) == 1 else {
      let log = (try? String(contentsOfFile: folder.path + "/log", encoding: .utf8)) ?? ""
      end()
      throw PodfluxProcess.Failure("it was refused: \(log.suffix(300))")
    }
  }

  deinit { end() }

  private func end() {
    close(keeper.input)
    var status: Int32 = 0
    while waitpid(keeper.pid, &status, 0) < 0, errno == EINTR {}
    close(keeper.output)
  }

  /// The disk's path inside the namespace (`launcher`).
  package var path: String { folder.path + "/mount" }

  /// A folder on this machine's disk, visible inside and outside.
  package var outside: String { folder.path }

  /// The disk's path from outside.
  package var visiblePath: String { "/proc/\(keeper.pid)/root\(path)" }

  /// The words that run a program inside (nsenter(1)); it keeps its process id.
  package var launcher: [String] {
    [Self.path(of: "nsenter") ?? "nsenter", "--mount=/proc/\(keeper.pid)/ns/mnt", "--"]
  }

  private static func path(of tool: String) -> String? {
    ["/usr/sbin/", "/sbin/", "/usr/bin/", "/bin/"].map { $0 + tool }.first { access($0, X_OK) == 0 }
  }

  private static func script(_ kind: Kind) -> String {
    """
    cd "$1" && mkdir mount || exit 1
    exec 3>&1 4<&0 >>log 2>&1 </dev/null
    server=
    # Lazily: no process waits for a server that is gone.
    trap 'umount -l mount; test -n "$server" && kill -9 $server || true' EXIT
    await() {
      for i in $(seq 200); do
        mountpoint -q mount && return
        sleep 0.05
      done
      exit 1
    }
    set -e
    \(kind.mounting)
    echo >&3
    exec 3>&-
    read line <&4 || true
    """
  }
}
