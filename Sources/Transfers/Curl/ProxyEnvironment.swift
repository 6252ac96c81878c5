import Foundation
import Glibc
import PodfluxCore

/// The proxies that the environment names, and for which hosts.
///
/// It decides as libcurl 7.88 would by itself (`detect_proxy` in lib/url.c, and lib/noproxy.c), and libcurl is told the
/// result: only so it is known whether a connection leads to the host or to a proxy (`CURLINFO_USED_PROXY` is of 8.7).
struct ProxyEnvironment: Sendable {
  private let values: [String: String]

  /// The environment of this process.
  static let ofProcess = ProxyEnvironment(ProcessInfo.processInfo.environment)

  /// These variables. An empty one counts as none.
  init(_ environment: [String: String]) {
    let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"]
    values = environment.filter { names.contains($0.key) && !$0.value.isEmpty }
  }

  /// Whether no host is behind a proxy.
  var isEmpty: Bool { values.keys.allSatisfy { $0.lowercased() == "no_proxy" } }

  /// The proxy for an origin, as the environment has it; nil for none.
  func proxy(for origin: CurlURL.Origin) -> String? {
    guard !isSpared(origin.host) else { return nil }
    // `HTTP_PROXY` may be a client's field in a CGI script.
    let names = origin.isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
    return (names + ["all_proxy", "ALL_PROXY"]).compactMap { values[$0] }.first
  }

  // MARK: Hosts without a proxy

  private func isSpared(_ host: String) -> Bool {
    guard let list = values["no_proxy"] ?? values["NO_PROXY"], !host.isEmpty else { return false }
    guard list != "*" else { return true }
    let entries = list.split { $0 == "," || $0 == " " || $0 == "\t" }
    if let address = PeerAddress(host: host) { return entries.contains { Self.covers($0, address) } }
    let name = host.withoutFinalDot.lowercased()
    return entries.contains { entry in
      let entry = entry.lowercased()
      let suffix = (entry.hasPrefix(".") ? String(entry.dropFirst()) : entry).withoutFinalDot
      return !suffix.isEmpty && (name == suffix || name.hasSuffix("." + suffix))
    }
  }

  /// Whether an entry is this address, or a block that has it, as `10.0.0.0/8`.
  private static func covers(_ entry: Substring, _ address: PeerAddress) -> Bool {
    let parts = entry.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let block = PeerAddress(String(parts[0])), block.bytes.count == address.bytes.count else { return false }
    let width = address.bytes.count * 8
    let given = parts.count > 1 ? Int(parts[1].prefix { $0.isNumber }) ?? 0 : 0
    guard given <= width else { return false }
    return AddressBlock(block.bytes, given == 0 ? width : given).contains(address.bytes)
  }
}

extension String {
  fileprivate var withoutFinalDot: String { hasSuffix(".") ? String(dropLast()) : self }
}
