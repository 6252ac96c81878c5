import Foundation
import Glibc

/// Certificate authorities that the user trusts in addition to the system's.
package struct CertificateAuthorities: Sendable {
  /// Why a file contains no usable authorities.
  package struct Fault: Error, Sendable, CustomStringConvertible {
    /// One sentence for users.
    package let description: String
  }

  /// The largest file that is read, in bytes; a system's whole bundle has some 200 KiB.
  static let maximumFileBytes = 16 << 20

  /// The certificates as PEM. Other content of the file is left out: it may be a private key.
  let text: String

  /// Reads a PEM file (RFC 7468) of one or more certificates.
  ///
  /// It checks that each has the structure of a certificate: OpenSSL rejects the whole bundle for one that has not, and
  /// would then trust no origin.
  package init(contentsOfFile path: String) throws(Fault) {
    let contents = try Self.contents(ofFile: path)
    var text = ""
    var count = 0
    var body: String?
    for line in contents.split(whereSeparator: \.isNewline).map({ $0.trimmingCharacters(in: .whitespaces) }) {
      if Self.labels.contains(where: { line == "-----BEGIN \($0)-----" }) {
        count += 1
        body = ""
      } else if line.hasPrefix("-----END "), let encoded = body {
        guard let bytes = Data(base64Encoded: encoded), DERElement.isCertificate([UInt8](bytes)) else {
          throw Self.damaged(count, in: path)
        }
        text += Self.block(bytes)
        body = nil
      } else {
        body?.append(line)
      }
    }
    guard body == nil else { throw Self.damaged(count, in: path) }
    guard count > 0 else { throw Fault(description: "\(path) holds no PEM certificate; give one that does") }
    self.text = text
  }

  /// RFC 7468 section 5.1, and the label of older software.
  private static let labels = ["CERTIFICATE", "X509 CERTIFICATE"]

  private static func block(_ bytes: Data) -> String {
    "-----BEGIN CERTIFICATE-----\n"
      + bytes.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
      + "\n-----END CERTIFICATE-----\n"
  }

  private static func damaged(_ number: Int, in path: String) -> Fault {
    Fault(description: "certificate \(number) of \(path) is damaged")
  }

  private static func contents(ofFile path: String) throws(Fault) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable(path) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = read(descriptor, &piece, piece.count)
      guard count >= 0 else { throw unreadable(path) }
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += piece[..<count]
      guard bytes.count <= maximumFileBytes else {
        throw Fault(description: "\(path) is longer than \(maximumFileBytes) bytes: it is no list of certificates")
      }
    }
  }

  private static func unreadable(_ path: String) -> Fault {
    let reason = String(cString: strerror(errno))
    return Fault(description: "the certificate authorities in \(path) cannot be read: \(reason)")
  }
}

/// A tag, a length and that many bytes (X.690 section 8.1).
private struct DERElement {
  private static let bitString: UInt8 = 0x03
  private static let sequence: UInt8 = 0x30

  let tag: UInt8
  let content: ArraySlice<UInt8>

  /// The element at the beginning of the bytes; nil if there is none, or an incomplete one.
  init?(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    guard let tag = rest.popFirst(), let first = rest.popFirst() else { return nil }
    var length = Int(first)
    if first >= 0x80 {
      let lengthBytes = Int(first & 0x7F)
      guard 1...4 ~= lengthBytes, rest.count >= lengthBytes else { return nil }
      length = rest.prefix(lengthBytes).reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(lengthBytes)
    }
    guard rest.count >= length else { return nil }
    self.tag = tag
    content = rest.prefix(length)
  }

  /// A certificate consists of a sequence that contains exactly a sequence, a sequence and a bit string (RFC 5280
  /// section 4.1).
  static func isCertificate(_ bytes: [UInt8]) -> Bool {
    guard let whole = DERElement(bytes[...]), whole.tag == sequence, whole.content.endIndex == bytes.endIndex else {
      return false
    }
    var rest = whole.content
    for expected in [sequence, sequence, bitString] {
      guard let element = DERElement(rest), element.tag == expected else { return false }
      rest = rest[element.content.endIndex...]
    }
    return rest.isEmpty
  }
}
