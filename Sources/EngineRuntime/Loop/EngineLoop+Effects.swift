import Flux
import PodfluxCore

/// Carries out effects, and wakes the stores at the moment for which they have asked.
extension EngineLoop {
  func carryOut(_ effects: [Effect], by session: any EngineSession) {
    for effect in effects {
      switch effect {
      case .close: receive(.nothingLeft)
      case .tell(let notice): host.told(notice)
      case .wake(let moment): setAlarm(at: moment)
      case .announce: break
      default: session.carryOut(effect)
      }
    }
  }

  private func setAlarm(at moment: Timestamp?) {
    let clock = host.readClock()
    // The new alarm cannot tell that the clock was set back while the former one was set: what waits is looked at.
    let isSetBack = held?.alarm.map { $0.isDue(at: clock) && clock.wall < $0.moment } ?? false
    held?.alarm = moment.map { Alarm(at: $0, setAt: clock) }
    setTimer()
    if isSetBack { mailbox.post(fact: .timeCame) }
  }

  /// Wakes the stores if the moment for which they have asked has come by the wall clock; sets the alarm again if not.
  func ring() {
    guard let alarm = held?.alarm else { return }
    guard alarm.isDue(at: host.readClock()) else { return setTimer() }
    held?.alarm = nil
    mailbox.post(fact: .timeCame)
  }

  private func setTimer() {
    host.set(.alarm, afterMilliseconds: held?.alarm?.delay(at: host.readClock()))
  }
}
