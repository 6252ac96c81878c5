import PodfluxCore

extension NetworkClasses.Patch {
  private static let keys = ["artwork", "auto", "feeds", "podcasts", "user"]
  /// What classes can be set to: there is nothing to inherit from.
  private static let policies: [NetworkPolicy] = [.unmetered, .any]

  init(_ field: Field) throws(Refusal) {
    let fields = try Fields(field.object(), at: field.path, knowing: Self.keys)
    try MemberRule.any(of: Self.keys).check(fields)
    self.init()
    user = try fields["user"]?.choice(of: Self.policies)
    auto = try fields["auto"]?.choice(of: Self.policies)
    feeds = try fields["feeds"]?.choice(of: Self.policies)
    artwork = try fields["artwork"]?.choice(of: Self.policies)
    podcasts = try fields["podcasts"]?.podcastPolicies() ?? [:]
  }
}

extension Field {
  func deviceName() throws(Refusal) -> String {
    let name = try string()
    guard NetworkPath.isDeviceName(name) else {
      throw mustBe(
        "a device's name: 1 to \(NetworkPath.maximumDeviceLength) printable ASCII characters without slash and colon")
    }
    return name
  }

  fileprivate func podcastPolicies() throws(Refusal) -> [String: NetworkPolicy] {
    let members = try object().members
    guard members.count <= NetworkClasses.maximumPodcasts else {
      throw refusal(
        .limitExceeded, "\(path) has \(members.count) members; give at most \(NetworkClasses.maximumPodcasts)")
    }
    var policies: [String: NetworkPolicy] = [:]
    for member in members {
      let field = Field(value: member.value, container: path, part: .key(member.key))
      guard member.key.utf8.count <= Field.maximumLabelBytes, !member.key.hasControlCharacters else {
        throw mustBe("an object with podcasts' names of at most \(Field.maximumLabelBytes) bytes as its keys")
      }
      policies[member.key] = try field.choice() as NetworkPolicy
    }
    return policies
  }

  func schedule() throws(Refusal) -> [ScheduleWindow] {
    var windows: [ScheduleWindow] = []
    for element in try elements(atMost: ScheduleWindow.maximumCount) {
      let fields = try Fields(element.object(), at: element.path, knowing: ["days", "from", "to"])
      let days = try fields["days"]?.days() ?? ScheduleWindow.Weekday.allCases
      let from = try fields.required("from")
      let minute = try from.minuteOfDay()
      guard minute < ScheduleWindow.minutes.upperBound else { throw from.mustBe("earlier than 24:00") }
      windows.append(ScheduleWindow(days: days, from: minute, to: try fields.required("to").minuteOfDay()))
    }
    return windows
  }

  private func days() throws(Refusal) -> [ScheduleWindow.Weekday] {
    var days: [ScheduleWindow.Weekday] = []
    for element in try elements(atMost: ScheduleWindow.Weekday.allCases.count) { days.append(try element.choice()) }
    guard !days.isEmpty else { throw mustBe("at least one day; leave it out for all of them") }
    return days
  }

  private func minuteOfDay() throws(Refusal) -> Int {
    let parts = try string().utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part in
      part.count == 2 && part.allSatisfy { (0x30...0x39).contains($0) } ? Int(String(Substring(part))) : nil
    }
    guard parts.count == 2, numbers.count == 2, numbers[1] < 60 else { throw mustBeTime }
    let minute = numbers[0] * 60 + numbers[1]
    guard ScheduleWindow.minutes.contains(minute) else { throw mustBeTime }
    return minute
  }

  private var mustBeTime: Refusal { mustBe("a time of the day such as 06:30, from 00:00 to 24:00") }
}
