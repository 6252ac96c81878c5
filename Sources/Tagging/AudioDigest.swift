import Digests
import PodfluxCore

/// The digest of what a file holds beside its tags: two files that differ in their tags alone have the same.
///
/// TagLib does not say that a write has failed, and a hostile file may mislead it: with this the engine sees for itself
/// that a tagged copy has all audio of the original, byte for byte.
///
/// | format | what counts |
/// |---|---|
/// | MPEG | all after the ID3v2 tags at the beginning (ID3v2.4.0 section 3.1) |
/// | MPEG-4 | the contents of all `mdat` boxes, in order (ISO/IEC 14496-12 section 8.1.1) |
/// | FLAC | all after the metadata blocks (RFC 9639 section 8) |
/// | Ogg | all packets but the comments, and the positions of all pages that have one (RFC 3533 section 6) |
package struct AudioDigest {
  /// Reads `count` bytes from an offset, or fewer at the end of the file.
  package typealias Reading<Failure: Error> = (_ offset: Int64, _ count: Int) throws(Failure) -> [UInt8]

  private static let pieceBytes = 1 << 20
  /// How many headers are read at most: of pages, boxes, blocks and tags together. A day of Opus has 86,400 pages; a
  /// hostile file of zeros would have hundreds of millions.
  package static let headerLimit = 4_000_000

  /// The digest of a file; nil if its format has no tags that are written, or if its structure is broken or has too
  /// many headers. Costs reading the whole file.
  package static func of<Failure: Error>(
    fileOfLength length: Int64, headerLimit: Int = AudioDigest.headerLimit, _ read: @escaping Reading<Failure>
  ) throws(Failure) -> [UInt8]? {
    var file = TaggedFile(length: length, headerLimit: headerLimit, read: read)
    let beginning = try read(0, MediaSignature.length)
    let isWhole =
      switch TagFormat(beginning: beginning) {
      case .mpeg: try file.addMPEG()
      case .mp4: try file.addBoxes()
      case .flac: try file.addFLAC()
      case .vorbis, .opus: try file.addOgg()
      case nil: false
      }
    return isWhole && file.headers <= headerLimit ? file.digest.digest() : nil
  }

  /// A file whose audio is being read.
  private struct TaggedFile<Failure: Error> {
    let length: Int64
    let headerLimit: Int
    let read: Reading<Failure>
    var digest = RunningDigest(.sha256)
    /// How many headers have been read.
    private(set) var headers = 0

    init(length: Int64, headerLimit: Int, read: @escaping Reading<Failure>) {
      self.length = length
      self.headerLimit = headerLimit
      self.read = read
    }

    mutating func add(_ bytes: some Collection<UInt8>) {
      Array(bytes).withUnsafeBytes { digest.update($0) }
    }

    /// Reads a header of at most so many bytes; nothing once there have been too many.
    private mutating func header(at offset: Int64, _ count: Int) throws(Failure) -> [UInt8] {
      headers += 1
      return headers <= headerLimit ? try read(offset, count) : []
    }

    mutating func add(_ range: Range<Int64>) throws(Failure) -> Bool {
      var offset = range.lowerBound
      while offset < range.upperBound {
        let piece = try read(offset, Int(min(Int64(AudioDigest.pieceBytes), range.upperBound - offset)))
        guard !piece.isEmpty else { return false }
        add(piece)
        offset += Int64(piece.count)
      }
      return true
    }

    // MARK: MPEG and FLAC

    /// Where the ID3v2 tags at the beginning end.
    private mutating func endOfID3() throws(Failure) -> Int64 {
      var offset: Int64 = 0
      while true {
        let header = try header(at: offset, 10)
        guard header.count == 10, header.starts(with: Array("ID3".utf8)), header[6...].allSatisfy({ $0 < 0x80 }) else {
          return offset
        }
        let size = header[6...].reduce(Int64(0)) { $0 << 7 | Int64($1) }
        let footer: Int64 = header[5] & 0x10 == 0 ? 0 : 10
        offset += 10 + size + footer
      }
    }

    mutating func addMPEG() throws(Failure) -> Bool {
      let start = try endOfID3()
      return start < length ? try add(start..<length) : false
    }

    mutating func addFLAC() throws(Failure) -> Bool {
      var offset = try endOfID3()
      guard try read(offset, 4) == Array("fLaC".utf8) else { return false }
      offset += 4
      while true {
        let header = try header(at: offset, 4)
        guard header.count == 4 else { return false }
        offset += 4 + header[1...].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        if header[0] & 0x80 != 0 { break }
      }
      return offset < length ? try add(offset..<length) : false
    }

    // MARK: MPEG-4

    mutating func addBoxes() throws(Failure) -> Bool {
      var (offset, hasData) = (Int64(0), false)
      while offset < length {
        let header = try header(at: offset, 16)
        guard header.count >= 8 else { return false }
        var (size, start) = (header[..<4].reduce(Int64(0)) { $0 << 8 | Int64($1) }, Int64(8))
        if size == 1 {
          guard header.count == 16, header[8] < 0x40 else { return false }
          (size, start) = (header[8...].reduce(Int64(0)) { $0 << 8 | Int64($1) }, 16)
        } else if size == 0 {
          size = length - offset
        }
        guard size >= start, size <= length - offset else { return false }
        if header[4..<8].elementsEqual("mdat".utf8) {
          guard try add(offset + start..<offset + size) else { return false }
          hasData = true
        }
        offset += size
      }
      return hasData
    }

    // MARK: Ogg

    /// A page's header with its table of segments.
    private struct Page {
      var position: [UInt8]
      var stream: [UInt8]
      var segments: [UInt8]
      /// Where its contents begin.
      var start: Int64

      var length: Int64 { segments.reduce(0) { $0 + Int64($1) } }

      init?(_ bytes: [UInt8], at offset: Int64) {
        guard bytes.count >= 27, bytes.starts(with: Array("OggS".utf8)), bytes[4] == 0 else { return nil }
        let count = Int(bytes[26])
        guard bytes.count >= 27 + count else { return nil }
        position = Array(bytes[6..<14])
        stream = Array(bytes[14..<18])
        segments = Array(bytes[27..<27 + count])
        start = offset + 27 + Int64(count)
      }
    }

    /// The comments are the second packet of the first stream.
    mutating func addOgg() throws(Failure) -> Bool {
      var (offset, packet) = (Int64(0), 0)
      var first: [UInt8]?
      while offset < length {
        guard let page = Page(try header(at: offset, 27 + 255), at: offset), page.start + page.length <= length else {
          return false
        }
        first = first ?? page.stream
        if page.position.contains(where: { $0 != 0 && $0 != 0xFF }) { add(page.position) }
        if page.stream != first || packet > 1 {
          guard try add(page.start..<page.start + page.length) else { return false }
        } else {
          // The first packets: their ends are where a segment has less than 255 bytes.
          var place = page.start
          for segment in page.segments {
            let end = place + Int64(segment)
            if packet != 1, try !add(place..<end) { return false }
            if segment < 255 { packet += 1 }
            place = end
          }
        }
        offset = page.start + page.length
      }
      return packet > 1
    }
  }
}
