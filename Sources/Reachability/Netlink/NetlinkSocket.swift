import CLinux
import Glibc

/// A file descriptor, closed with its last user.
final class OpenDescriptor: Sendable {
  let number: Int32

  init(_ operation: String, _ open: () -> Int32) throws(ReachabilityError) {
    let result = open()
    guard result >= 0 else { throw .system(operation: operation, code: -result) }
    number = result
  }

  deinit {
    close(number)
  }
}

/// Two rtnetlink sockets: one hears what changes, the other asks for all there is. They belong to the network namespace of
/// the thread that made them.
///
/// Calls must not overlap: one owner, or a lock.
final class NetlinkSocket: Sendable {
  /// What a look at the changes brings.
  enum Change {
    /// The kernel has said this.
    case messages([LinkMessage])
    /// Some of what it said was lost: everything must be read anew.
    case lost
    /// It has said nothing more by now.
    case none
  }

  /// How much of what changes the kernel keeps for a reader that is late.
  private static let receiveBytes: Int32 = 1 << 20
  /// The longest datagram; the kernel's own limit is 32 KiB.
  private static let maximumDatagramBytes = 1 << 16
  /// How long the kernel may take for an answer.
  private static let timeoutSeconds: Int32 = 2
  /// More datagrams than fit into the kernel's buffer, each being charged with some 500 bytes at least.
  private static let maximumQueue = 1 << 14
  /// How often a list that changed while it was told is asked for.
  private static let maximumAttempts = 8
  /// RTMGRP_LINK, _IPV4_IFADDR, _IPV4_ROUTE, _IPV6_IFADDR, _IPV6_ROUTE.
  private static let groups: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400
  /// RTM_GETLINK, RTM_GETADDR, RTM_GETROUTE: links before what they have.
  private static let kinds: [UInt16] = [18, 22, 26]

  private let changes: OpenDescriptor
  private let lists: OpenDescriptor

  /// Opens both, and begins to hear what changes.
  init() throws(ReachabilityError) {
    changes = try OpenDescriptor("an rtnetlink socket") {
      linux_netlink_open(Self.groups, Self.receiveBytes, Self.timeoutSeconds)
    }
    lists = try OpenDescriptor("an rtnetlink socket") {
      linux_netlink_open(0, Self.receiveBytes, Self.timeoutSeconds)
    }
  }

  /// Readable when something has changed.
  var descriptor: Int32 { changes.number }

  /// What has changed, if anything; does not wait.
  func nextChange() -> Change {
    switch receive(from: changes, waiting: false) {
    case .success(let bytes): .messages(NetlinkReader.read(bytes[...]).messages)
    case .failure(.system(_, EAGAIN)): .none
    // ENOBUFS; and a socket that cannot be read has lost what it should have said too.
    case .failure: .lost
    }
  }

  /// Throws away what has been said and not been read; to be called after a loss, before everything is read anew.
  ///
  /// From the moment of a loss until its queue is empty the kernel adds nothing to it, and says no word of that
  /// (NETLINK_S_CONGESTED in the kernel's net/netlink/af_netlink.c): what changes while the queue is read would be
  /// lost too.
  func discardChanges() {
    for _ in 0..<Self.maximumQueue {
      switch receive(from: changes, waiting: false) {
      case .success, .failure(.system(_, ENOBUFS)): continue
      case .failure: return
      }
    }
  }

  /// Everything as it is now. Changes that the kernel tells meanwhile remain to be read, and do no harm when they are
  /// taken in once more: the last word on each thing is the same.
  func readAll() throws(ReachabilityError) -> LinkTable {
    for _ in 0..<Self.maximumAttempts {
      if let table = try readAllOnce() { return table }
    }
    throw .silentKernel
  }

  /// Nil where things changed while they were told.
  private func readAllOnce() throws(ReachabilityError) -> LinkTable? {
    var table = LinkTable()
    var isWhole = true
    for (index, kind) in Self.kinds.enumerated() {
      let sequence = UInt32(index + 1)
      let refusal = linux_netlink_request_all(lists.number, kind, sequence)
      guard refusal == 0 else { throw .system(operation: "a question to rtnetlink", code: refusal) }
      var isEnd = false
      while !isEnd {
        switch receive(from: lists, waiting: true) {
        case .failure(.system(_, EAGAIN)): throw .silentKernel
        case .failure(let error): throw error
        case .success(let bytes):
          let contents = NetlinkReader.read(bytes[...], answering: sequence)
          if let code = contents.refusal { throw .system(operation: "a question to rtnetlink", code: code) }
          if contents.isInterrupted { isWhole = false }
          contents.messages.forEach { table.apply($0) }
          isEnd = contents.isEnd
        }
      }
    }
    return isWhole ? table : nil
  }

  private func receive(from socket: OpenDescriptor, waiting: Bool) -> Result<[UInt8], ReachabilityError> {
    var result = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: Self.maximumDatagramBytes) { buffer, count in
      result = linux_netlink_receive(socket.number, buffer.baseAddress, UInt(buffer.count), waiting ? 1 : 0)
      count = max(0, result)
    }
    guard result >= 0 else { return .failure(.system(operation: "reading from rtnetlink", code: Int32(-result))) }
    return .success(bytes)
  }
}
