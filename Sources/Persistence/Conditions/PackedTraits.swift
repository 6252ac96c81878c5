import PodfluxCore

/// The traits of a row in one number, in the column `class`.
///
/// | bits | 35–26 | 25–23 | 22 | 21–18 | 17–12 | 11–10 | 9–7 | 6–4 | 3–2 | 1–0 |
/// |---|---|---|---|---|---|---|---|---|---|---|
/// | hold | session | kind | held | reason | error | media | size | age | origin | network |
///
/// Databases and migrations contain the codes: their meanings never change. 0 means no reason, no error or no session.
struct PackedTraits: Hashable, Sendable {
  /// The value of the column.
  let code: Int64

  /// The position of each trait.
  enum Field {
    static let session = BitField(shift: 26, bits: 10)
    static let kind = BitField(shift: 23, bits: 3)
    static let held = BitField(shift: 22, bits: 1)
    static let reason = BitField(shift: 18, bits: 4)
    static let error = BitField(shift: 12, bits: 6)
    static let media = BitField(shift: 10, bits: 2)
    static let size = BitField(shift: 7, bits: 3)
    static let age = BitField(shift: 4, bits: 3)
    static let origin = BitField(shift: 2, bits: 2)
    static let network = BitField(shift: 0, bits: 2)
  }

  init(_ traits: Traits) {
    code =
      Field.session.place(traits.session ?? 0) | Field.kind.place(traits.kind.rowCode)
      | Field.held.place(traits.isHeld ? 1 : 0)
      | Field.reason.place(traits.reason?.rowCode ?? 0) | Field.error.place(traits.error?.rowCode ?? 0)
      | Field.media.place(traits.media.rowCode) | Field.size.place(traits.size.rowCode)
      | Field.age.place(traits.age.rowCode) | Field.origin.place(traits.origin.rowCode)
      | Field.network.place(traits.network.rowCode)
  }

  /// The code of the state.
  var kindCode: Int64 { Field.kind.read(code) }

  /// The session; nil for none.
  var session: Session.Key? { Self.session(in: code) }

  /// The session in a code, or in a part of one.
  static func session(in code: Int64) -> Session.Key? {
    let key = Field.session.read(code)
    return key == 0 ? nil : key
  }

  /// Takes the value of the column.
  init(code: Int64) {
    self.code = code
  }

  /// Unpacks the traits.
  ///
  /// - Throws: `DamagedRow` for a number that packing never gives.
  func traits() throws -> Traits {
    guard code >> 36 == 0, session ?? 0 <= Session.Limits.sessions,
      let kind: DownloadState.Kind = Field.kind.value(in: code),
      let media: MediaKind = Field.media.value(in: code), let size: SizeClass = Field.size.value(in: code),
      let age: AgeClass = Field.age.value(in: code), let origin: Origin = Field.origin.value(in: code),
      let network: NetworkPolicy = Field.network.value(in: code)
    else { throw DamagedRow(column: "class") }
    let traits = Traits(
      kind: kind, isHeld: Field.held.read(code) == 1, reason: Field.reason.value(in: code),
      error: Field.error.value(in: code), media: media, size: size, age: age, origin: origin, network: network,
      session: session)
    // A code that belongs to a missing reason or error would get lost.
    guard PackedTraits(traits) == self else { throw DamagedRow(column: "class") }
    return traits
  }
}

/// A range of bits in a number.
struct BitField {
  let shift: Int64
  let bits: Int64

  /// The mask of the bits at their position.
  var mask: Int64 { ((1 << bits) - 1) << shift }

  /// Shifts a code to its position.
  func place(_ code: Int64) -> Int64 { code << shift }

  /// Reads the code at its position.
  func read(_ number: Int64) -> Int64 { (number & mask) >> shift }

  /// The value whose code is at the position; nil if there is none.
  func value<Value: RowCoded>(in number: Int64) -> Value? {
    Value(rowCode: read(number))
  }
}

/// Values with a code in databases.
protocol RowCoded: CaseIterable {
  var rowCode: Int64 { get }
}

extension RowCoded {
  /// The value of a code; nil if there is none.
  init?(rowCode: Int64) {
    guard let value = Self.allCases.first(where: { $0.rowCode == rowCode }) else { return nil }
    self = value
  }
}

extension DownloadState.Kind: RowCoded {
  /// In the order in which clients see the states, so that each state is a range of classes.
  var rowCode: Int64 {
    switch self {
    case .queued: 0
    case .waiting: 1
    case .running: 2
    case .paused: 3
    case .completed: 4
    case .failed: 5
    }
  }
}

extension WaitingReason: RowCoded {
  var rowCode: Int64 {
    switch self {
    case .network: 1
    case .policy: 2
    case .retry: 3
    case .host: 4
    case .storage: 5
    case .schedule: 6
    case .budget: 7
    case .auth: 8
    }
  }
}

extension DownloadError.Code: RowCoded {
  var rowCode: Int64 {
    switch self {
    case .unknownHost: 1
    case .connectFailed: 2
    case .tlsCertificate: 3
    case .timeout: 4
    case .tooSlow: 5
    case .connectionLost: 6
    case .tooManyRedirects: 7
    case .unsafeRedirect: 8
    case .httpStatus: 9
    case .notFound: 10
    case .gone: 11
    case .unauthorized: 12
    case .forbidden: 13
    case .rangeMismatch: 14
    case .validatorChanged: 15
    case .lengthMismatch: 16
    case .integrityMismatch: 17
    case .notMedia: 18
    case .tooLarge: 19
    case .noSpace: 20
    case .fileExists: 21
    case .io: 22
    case .corruptFile: 23
    case .retriesExhausted: 24
    }
  }
}

extension MediaKind: RowCoded {
  var rowCode: Int64 {
    switch self {
    case .other: 0
    case .audio: 1
    case .video: 2
    }
  }
}

extension SizeClass: RowCoded {
  var rowCode: Int64 {
    switch self {
    case .unknown: 0
    case .small: 1
    case .medium: 2
    case .large: 3
    case .huge: 4
    }
  }
}

extension AgeClass: RowCoded {
  var rowCode: Int64 {
    switch self {
    case .day: 0
    case .week: 1
    case .month: 2
    case .year: 3
    case .older: 4
    }
  }
}

extension Origin: RowCoded {
  var rowCode: Int64 {
    switch self {
    case .user: 0
    case .auto: 1
    }
  }
}

extension NetworkPolicy: RowCoded {
  var rowCode: Int64 {
    switch self {
    case .inherit: 0
    case .unmetered: 1
    case .any: 2
    }
  }
}
