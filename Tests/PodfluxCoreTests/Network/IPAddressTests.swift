import Glibc
import Testing

@testable import PodfluxCore

@Suite("A machine's address")
struct IPAddressTests {
  private static func address(_ text: String) throws -> IPAddress {
    var bytes = [UInt8](repeating: 0, count: 16)
    if inet_pton(AF_INET, text, &bytes) == 1 { return try #require(IPAddress(bytes.prefix(4))) }
    try #require(inet_pton(AF_INET6, text, &bytes) == 1, "\(text) is no address")
    return try #require(IPAddress(bytes))
  }

  @Test(
    "is public where the Internet may have it",
    arguments: [
      "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
      "128.0.0.1",
      "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0", "192.0.3.0",
      "192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0",
      "198.51.99.255",
      "198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255", "2000::1", "2001:200::1",
      "2001:4860:4860::8888",
      "2001:db7:ffff::1", "2001:db9::1", "2606:4700::1111", "2a00:1450::1", "3fff:1000::1", "3ffe::1",
      "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1",
    ])
  func elsewhere(_ text: String) throws {
    #expect(try Self.address(text).isPublic)
  }

  @Test(
    "is not public where it is this machine's, its networks', or none's",
    arguments: [
      "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.1",
      "127.255.255.255", "169.254.0.0", "169.254.169.254", "169.254.255.255", "172.16.0.0", "172.31.255.255",
      "192.0.0.0",
      "192.0.0.255", "192.0.2.1", "192.88.99.1", "192.168.0.0", "192.168.1.1", "192.168.255.255", "198.18.0.0",
      "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.255.255.255", "240.0.0.0", "255.255.255.255",
      "::",
      "::1", "::2", "::7f00:1", "::808:808", "64:ff9b::a00:1", "64:ff9b::7f00:1", "64:ff9b:1::808:808", "100::1",
      "1fff::1",
      "2001::1", "2001:0:4136:e378::1", "2001:2::1", "2001:10::1", "2001:1ff:ffff::1", "2001:db8::1",
      "2001:db8:ffff:ffff::1", "2002:a00:1::1", "2002:c0a8:101::1", "2002:7f00:1::1", "3fff::1", "3fff:fff::1",
      "4000::1",
      "5f00::1", "fc00::1", "fd12:3456::1", "fe80::1", "febf::1", "fec0::1", "ff02::1", "ffff::1", "::ffff:127.0.0.1",
      "::ffff:10.0.0.1", "::ffff:192.168.1.1", "::ffff:169.254.169.254", "::ffff:0:8.8.8.8",
    ])
  func inside(_ text: String) throws {
    #expect(try !Self.address(text).isPublic)
  }

  @Test(
    "is written as people write it",
    arguments: [
      "1.2.3.4", "::", "::1", "1::", "fe80::1", "2001:db8::1:0:0:1", "2001:db8:0:1:1:1:1:1", "2001:0:0:1::1",
      "::ffff:10.0.0.1", "1:2:3:4:5:6:7:8",
    ])
  func text(_ text: String) throws {
    #expect(try Self.address(text).description == text)
  }

  @Test("has 4 or 16 bytes", arguments: [0, 3, 5, 8, 15, 17])
  func length(_ count: Int) {
    #expect(IPAddress([UInt8](repeating: 1, count: count)) == nil)
  }

  @Test("says what was read there, and one public address makes all of it public")
  func classes() throws {
    let (inside, outside) = (try Self.address("10.0.0.1"), try Self.address("1.1.1.1"))
    #expect(AddressClass(inside) == .private && AddressClass(outside) == .public)
    for one in AddressClass.allCases {
      #expect(one.joined(.unknown) == one && AddressClass.unknown.joined(one) == one)
      #expect(one.joined(.public) == .public && AddressClass.public.joined(one) == .public)
    }
    #expect(AddressClass.private.joined(.private) == .private)
  }
}
