import CLinux
import Glibc
import PodfluxCore

/// Writes past the page cache (O_DIRECT, open(2)).
extension Descriptor {
  /// The least that is worth it, in bytes: each write waits for the device.
  private static let leastDirectBytes = 256 << 10

  /// Whether it lies on a file system that is known to write so, and to write fast: elsewhere, on a network's for one, the
  /// page cache does better.
  var suitsDirectWrites: Bool { linux_is_on_ext_or_xfs(number) != 0 }

  /// Writes as much as can be written so: nothing, where there is too little or it is not aligned. The rest is to be
  /// written the usual way, which also says what is wrong, if anything is.
  ///
  /// A large file that comes fast is not soon read again. To find memory for all of its pages costs several times what
  /// copying costs, and what other programs have there must go for it: on ext4, Linux 6.18, 1 GiB over loopback took 0.57 s
  /// of CPU so, and 1.3 s through the page cache.
  ///
  /// Nobody else may read or write over this descriptor meanwhile.
  func writeDirectly(_ blocks: [UnsafeRawBufferPointer], offset: Int64) -> Int {
    guard blocks.reduce(0, { $0 + $1.count }) >= Self.leastDirectBytes,
      offset.isMultiple(of: Int64(WritePolicy.page)),
      blocks.allSatisfy(Self.isAligned), linux_set_direct(number, 1) == 0
    else { return 0 }
    let vector = blocks.map { iovec(iov_base: UnsafeMutableRawPointer(mutating: $0.baseAddress), iov_len: $0.count) }
    let count = pwritev(number, vector, Int32(vector.count), off_t(offset))
    // Should that fail, which nobody has seen, the next write that is not aligned fails, and the attempt with it.
    _ = linux_set_direct(number, 0)
    return max(0, count)
  }

  private static func isAligned(_ block: UnsafeRawBufferPointer) -> Bool {
    block.count.isMultiple(of: WritePolicy.page) && Int(bitPattern: block.baseAddress).isMultiple(of: WritePolicy.page)
  }
}
