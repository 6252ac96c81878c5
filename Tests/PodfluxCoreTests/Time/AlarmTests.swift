import Flux
import PodfluxCore
import Testing

@Suite("An alarm")
struct AlarmTests {
  private let noon = Timestamp(milliseconds: 1_800_000_000_000)

  private func clock(_ milliseconds: Int64, wallOffset: Int64 = 0) -> ClockReading {
    ClockReading(wall: noon.advanced(byMilliseconds: milliseconds + wallOffset), monotonicMilliseconds: milliseconds)
  }

  @Test("is due at its time and not before, after any number of checks")
  func moment() {
    let alarm = Alarm(at: noon.advanced(byMilliseconds: 150_000), setAt: clock(0))
    var now: Int64 = 0
    var looks = 0
    while !alarm.isDue(at: clock(now)) {
      now += alarm.delay(at: clock(now))
      looks += 1
    }
    #expect(now == 150_000)
    #expect(looks == 3)
  }

  @Test("is due when the clock was set back, or past its time, and not because of a small drift")
  func clocks() {
    let alarm = Alarm(at: noon.advanced(byMilliseconds: 3_600_000), setAt: clock(0))
    #expect(!alarm.isDue(at: clock(60_000)))
    #expect(!alarm.isDue(at: clock(60_000, wallOffset: -900)))
    #expect(alarm.isDue(at: clock(60_000, wallOffset: -3_600_000)))
    #expect(alarm.isDue(at: clock(60_000, wallOffset: 3_600_000)))
    #expect(!alarm.isDue(at: clock(60_000, wallOffset: 600_000)))
  }

  @Test("whose time has passed is due at once")
  func past() {
    let alarm = Alarm(at: noon, setAt: clock(5000))
    #expect(alarm.isDue(at: clock(5000)))
    #expect(alarm.delay(at: clock(5000)) == 0)
  }
}
