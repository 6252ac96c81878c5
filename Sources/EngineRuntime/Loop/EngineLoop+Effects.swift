import Flux
import PodfluxCore

/// Carries out effects, and wakes the stores at the moment for which they have asked.
extension EngineLoop {
  func carryOut(_ effects: [Effect], by session: any EngineSession) {
    for effect in effects {
      switch effect {
      case .close: take(.nothingLeft)
      case .tell(let notice): host.told(notice)
      case .wake(let moment): setAlarm(at: moment)
      case .announce: break
      default: session.carryOut(effect)
      }
    }
  }

  private func setAlarm(at moment: Timestamp?) {
    held?.alarm = moment.map { Alarm(at: $0, setAt: host.readClock()) }
    setTimer()
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
