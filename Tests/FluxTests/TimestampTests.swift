import Flux
import Foundation
import Testing

@Suite("Timestamps")
struct TimestampTests {
  @Test("Addition saturates instead of overflowing")
  func saturation() {
    #expect(Timestamp(milliseconds: .max).advanced(byMilliseconds: 1).milliseconds == .max)
    #expect(Timestamp(milliseconds: .max - 1).advanced(byMilliseconds: .max).milliseconds == .max)
    #expect(Timestamp(milliseconds: .min).advanced(byMilliseconds: -1).milliseconds == .min)
    #expect(Timestamp(milliseconds: .min).advanced(byMilliseconds: .max).milliseconds == -1)
    #expect(Timestamp(milliseconds: 10).advanced(byMilliseconds: -3).milliseconds == 7)
  }

  @Test("Timestamps are ordered from past to future")
  func order() {
    #expect(Timestamp(milliseconds: -1) < Timestamp(milliseconds: 0))
    #expect(!(Timestamp(milliseconds: 1) < Timestamp(milliseconds: 1)))
  }

  @Test("A timestamp is coded as a bare integer, and nothing else is decoded")
  func coding() throws {
    let moments = [Timestamp(milliseconds: .min), Timestamp(milliseconds: 0), Timestamp(milliseconds: .max)]
    let data = try JSONEncoder().encode(moments)
    #expect(String(decoding: data, as: UTF8.self) == "[-9223372036854775808,0,9223372036854775807]")
    #expect(try JSONDecoder().decode([Timestamp].self, from: data) == moments)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([Timestamp].self, from: Data("[1.5]".utf8)) }
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([Timestamp].self, from: Data("[\"1\"]".utf8)) }
  }
}
