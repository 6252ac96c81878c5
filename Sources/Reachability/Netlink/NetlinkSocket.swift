import CLinux
import Glibc

/// A file descriptor; deinit closes it.
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

/// Two rtnetlink sockets: one receives notifications, the other requests the current state. They belong to the network
/// namespace of the thread that opened them.
///
/// Calls must not overlap: use one owner, or a lock.
final class NetlinkSocket: Sendable {
  /// The result of reading the notifications.
  enum Change {
    /// The kernel sent these messages.
    case messages([LinkMessage])
    /// Notifications were lost: everything must be read again.
    case lost
    /// There are no more notifications now.
    case none
  }

  /// How many bytes of notifications the kernel queues for a slow reader.
  private static let receiveBytes: Int32 = 1 << 20
  /// The timeout of an answer.
  private static let timeoutSeconds: Int32 = 2
  /// More datagrams than fit into the kernel's buffer, which accounts at least some 500 bytes for each.
  private static let maximumQueue = 1 << 14
  /// How often to request a list again that changed during the answer.
  private static let maximumAttempts = 8
  /// RTMGRP_LINK, _IPV4_IFADDR, _IPV4_ROUTE, _IPV6_IFADDR, _IPV6_ROUTE.
  private static let groups: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400
  /// RTM_GETLINK, RTM_GETADDR, RTM_GETROUTE: links before their addresses and routes.
  private static let kinds: [UInt16] = [18, 22, 26]

  private let changes: OpenDescriptor
  private let lists: OpenDescriptor

  /// Opens both sockets, and subscribes to changes.
  init() throws(ReachabilityError) {
    changes = try OpenDescriptor("an rtnetlink socket") {
      linux_netlink_open(Self.groups, Self.receiveBytes, Self.timeoutSeconds)
    }
    lists = try OpenDescriptor("an rtnetlink socket") {
      linux_netlink_open(0, Self.receiveBytes, Self.timeoutSeconds)
    }
  }

  /// Readable when there is a notification.
  var descriptor: Int32 { changes.number }

  /// The next notification, if any; does not block.
  func nextChange() -> Change {
    switch changes.receive(waiting: false) {
    case .success(let bytes): .messages(NetlinkReader.read(bytes[...]).messages)
    case .failure(.system(_, EAGAIN)): .none
    // ENOBUFS; after any other error the socket may have lost notifications too.
    case .failure: .lost
    }
  }

  /// Discards unread notifications. Call it after a loss, before reading everything again.
  ///
  /// From a loss until the queue is empty the kernel drops further notifications without another error
  /// (NETLINK_S_CONGESTED in the kernel's net/netlink/af_netlink.c): changes during the reading would be lost too.
  func discardChanges() {
    for _ in 0..<Self.maximumQueue {
      switch changes.receive(waiting: false) {
      case .success, .failure(.system(_, ENOBUFS)): continue
      case .failure: return
      }
    }
  }

  /// The current state. Notifications that arrive meanwhile stay unread; applying them again is harmless, since the
  /// last one about each object gives the same state.
  func readAll() throws(ReachabilityError) -> LinkTable {
    for _ in 0..<Self.maximumAttempts {
      if let table = try readAllOnce() { return table }
    }
    throw .silentKernel
  }

  /// Nil if objects changed during the answer.
  private func readAllOnce() throws(ReachabilityError) -> LinkTable? {
    var table = LinkTable()
    var isWhole = true
    for (index, kind) in Self.kinds.enumerated() {
      let sequence = UInt32(index + 1)
      let refusal = linux_netlink_request_all(lists.number, kind, sequence)
      guard refusal == 0 else { throw .system(operation: "a question to rtnetlink", code: refusal) }
      var isEnd = false
      while !isEnd {
        switch lists.receive(waiting: true) {
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
}

extension OpenDescriptor {
  /// The longest datagram; the kernel's own limit is 32 KiB.
  private static let maximumDatagramBytes = 1 << 16

  /// The next datagram of an rtnetlink socket.
  func receive(waiting: Bool) -> Result<[UInt8], ReachabilityError> {
    var result = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: Self.maximumDatagramBytes) { buffer, count in
      result = linux_netlink_receive(number, buffer.baseAddress, UInt(buffer.count), waiting ? 1 : 0)
      count = max(0, result)
    }
    guard result >= 0 else { return .failure(.system(operation: "reading from rtnetlink", code: Int32(-result))) }
    return .success(bytes)
  }
}
