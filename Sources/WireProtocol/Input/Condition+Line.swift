import Flux
import PodfluxCore
import Texts

/// Which downloads a client means (the article Protocol).
extension Condition {
  /// Reads a condition. The same keys give the same condition in any order, and each is one part of it: it can
  /// be written down again as what it was read from. A key that is alone is the condition.
  init(_ field: Field) throws(Refusal) {
    var reader = ConditionReader(count: ConditionCount(path: field.path))
    self = try reader.condition(field, depth: 1)
  }
}

/// Reads conditions that stand in each other, and counts them.
private struct ConditionReader {
  var count: ConditionCount

  /// What downloads have, in the order of the article Protocol; what only episodes have comes with them.
  private static let keys = [
    "id", "url", "feed", "state", "reason", "podcast", "origin", "media", "titleContains", "titleExcludes",
    "publishedAfter", "publishedBefore", "newerThanDays", "olderThanDays", "minBytes", "maxBytes", "errorCode", "not",
    "any",
  ]

  mutating func condition(_ field: Field, depth: Int) throws(Refusal) -> Condition {
    let fields = try Fields(field.object(), at: field.path, knowing: Self.keys)
    try ConditionCount.check(depth: depth, at: field.path)
    try count.add(max(1, fields.object.members.count))
    var parts = try simple(fields)
    if let field = fields["not"] { parts.append(.not(try condition(field, depth: depth + 1))) }
    if let field = fields["any"] { parts.append(.any(try alternatives(field, depth: depth + 1))) }
    return parts.count == 1 ? parts[0] : .all(parts)
  }

  private mutating func alternatives(_ field: Field, depth: Int) throws(Refusal) -> [Condition] {
    var alternatives: [Condition] = []
    for element in try field.alternatives(atMost: Condition.Limits.parts) {
      alternatives.append(try condition(element, depth: depth))
    }
    return alternatives
  }

  /// What the keys say that have no other condition in them.
  private func simple(_ fields: Fields) throws(Refusal) -> [Condition] {
    let parts: [Condition?] = [
      try fields["id"].map { field throws(Refusal) in
        .ids(try field.oneOrMore { element throws(Refusal) in try element.downloadID() })
      },
      try fields["url"].map { field throws(Refusal) in .urls(try field.shownURLs()) },
      try fields["feed"].map { field throws(Refusal) in .feeds(try field.feedIDs()) },
      try fields["state"].map { field throws(Refusal) in .states(try field.choices()) },
      try fields["reason"].map { field throws(Refusal) in .reasons(try field.choices()) },
      try fields["podcast"].map { field throws(Refusal) in .podcasts(try field.labels()) },
      try fields["origin"].map { field throws(Refusal) in .origins(try field.choices()) },
      try fields["media"].map { field throws(Refusal) in .media(try field.choices()) },
      try fields["titleContains"].map { field throws(Refusal) in .titleContains(try field.searchTexts()) },
      try fields["titleExcludes"].map { field throws(Refusal) in .not(.titleContains(try field.searchTexts())) },
      try published(fields), try days(fields["newerThanDays"]).map(Condition.newerThanDays),
      try days(fields["olderThanDays"]).map(Condition.olderThanDays), try bytes(fields),
      try fields["errorCode"].map { field throws(Refusal) in .errorCodes(try field.choices()) },
    ]
    return parts.compactMap { $0 }
  }

  private func published(_ fields: Fields) throws(Refusal) -> Condition? {
    let (after, before) = (try fields["publishedAfter"]?.moment(), try fields["publishedBefore"]?.moment())
    return after == nil && before == nil ? nil : .published(after: after, before: before)
  }

  private func days(_ field: Field?) throws(Refusal) -> Int? {
    try field?.integer(in: Condition.Limits.days)
  }

  private func bytes(_ fields: Fields) throws(Refusal) -> Condition? {
    let lengths = DownloadIntent.Enqueue.lengths
    let least = try fields["minBytes"]?.integer(in: lengths)
    let most = try fields["maxBytes"]?.integer(in: lengths)
    return least == nil && most == nil ? nil : .bytes(atLeast: least, atMost: most)
  }
}

/// The alternatives of one key.
extension Field {
  /// The elements of an array of at least one and at most so many: nothing is met by none of them, so that no array is
  /// empty but by mistake.
  func alternatives(atMost limit: Int) throws(Refusal) -> [Field] {
    let elements = try elements(atMost: limit)
    guard !elements.isEmpty else { throw mustBe("at least one alternative; leave the key out to allow everything") }
    return elements
  }

  /// A value, or an array of values.
  func oneOrMore<Value>(of read: (Field) throws(Refusal) -> Value) throws(Refusal) -> [Value] {
    guard case .array = value else { return [try read(self)] }
    var values: [Value] = []
    for element in try alternatives(atMost: Condition.Limits.values) {
      values.append(try read(element))
    }
    return values
  }

  /// Names, each once and in the order in which they came.
  func choices<Choice: RawRepresentable<String> & CaseIterable & Hashable>() throws(Refusal) -> [Choice] {
    let choices: [Choice] = try oneOrMore { field throws(Refusal) in try field.choice() }
    var known: Set<Choice> = []
    return choices.filter { known.insert($0).inserted }
  }

  func feedIDs() throws(Refusal) -> [FeedID] {
    try oneOrMore { field throws(Refusal) in try field.feedID() }
  }

  /// URLs as items show them, those of feeds included that cannot be fetched.
  func shownURLs() throws(Refusal) -> [String] {
    try oneOrMore { field throws(Refusal) in try ValueForm<WebAddress>.foreignAddress.read(field).redacted }
  }

  func labels() throws(Refusal) -> [String] {
    try oneOrMore { field throws(Refusal) in try field.label() }
  }

  func searchTexts() throws(Refusal) -> [String] {
    try oneOrMore { field throws(Refusal) in
      let text = try field.text(ofBytes: 1...Condition.Limits.textBytes)
      // Each title has it.
      guard !FoldedText.of(text).isEmpty else { throw field.mustBe("a text with a character that can be seen") }
      return text
    }
  }
}
