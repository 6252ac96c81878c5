import Flux
import Foundation
import PodfluxCore

/// How the values of payloads are read and written.
extension ValueForm<String> {
  /// A text of any kind.
  static var text: Self {
    Self("text", .string(), read: { f throws(Refusal) in try f.string() }, write: { $1.element($0) })
  }

  /// A title, or the name of a podcast.
  static var label: Self {
    Self(
      "text of at most \(Field.maximumLabelBytes) bytes", .definition("label"),
      read: { f throws(Refusal) in try f.label() },
      write: { $1.element($0) })
  }

  /// A text that filters look for.
  static var searchText: Self { text(ofBytes: 0...FiltersState.Limits.textBytes) }

  /// The name of a saved set of filters.
  static var setName: Self { text(ofBytes: 1...FiltersState.Limits.nameBytes) }

  private static func text(ofBytes lengths: ClosedRange<Int>) -> Self {
    Self(
      "text of \(lengths.lowerBound) to \(lengths.upperBound) bytes", .text(lengths),
      read: { f throws(Refusal) in try f.text(ofBytes: lengths) }, write: { $1.element($0) })
  }

  /// A folder of the library: relative to it, or absolute. Where it is, is known to the engine alone.
  static var folder: Self {
    Self(
      "a folder of the library", .text(1...LibraryPath.maximumBytes),
      read: { f throws(Refusal) in try f.text(ofBytes: 1...LibraryPath.maximumBytes) },
      write: { $1.element($0) })
  }

  /// The name of a network device.
  static var deviceName: Self {
    Self(
      "a device's name", .string(1...NetworkPath.maximumDeviceLength, pattern: "^[!-.0-9;-~]+$"),
      read: { f throws(Refusal) in try f.deviceName() }, write: { $1.element($0) })
  }
}

extension ValueForm<Bool> {
  static var boolean: Self {
    Self("boolean", .boolean, read: { f throws(Refusal) in try f.boolean() }, write: { $1.value($0) })
  }

  /// `true`, where there is nothing else to say.
  static var onlyTrue: Self {
    Self(
      "`true`", .onlyTrue,
      read: { f throws(Refusal) in
        guard try f.boolean() else { throw f.mustBe("true; leave it out if it is not meant") }
        return true
      }, write: { $1.value($0) })
  }
}

extension ValueForm<Int64> {
  /// A number of a row, of an attempt, or of bytes.
  static var number: Self {
    integer("an integer from 0", in: 0...(.max))
  }

  /// A length that a client names.
  static var length: Self {
    Self(
      "a number of bytes", .definition("byteCount"),
      read: { f throws(Refusal) in try f.integer(in: DownloadIntent.Enqueue.lengths) },
      write: { $1.value($0) })
  }

  /// Any number.
  static var anyInteger: Self {
    integer("an integer", in: (.min)...(.max))
  }

  /// By how much clocks are ahead of UTC.
  static var offsetSeconds: Self {
    integer("seconds", in: LocalTime.seconds)
  }

  /// A number of a range.
  static func integer(_ kind: String, in range: ClosedRange<Int64>) -> Self {
    Self(kind, .integer(range), read: { f throws(Refusal) in try f.integer(in: range) }, write: { $1.value($0) })
  }

  /// Nanoseconds since 1970: a text, because few readers of JSON keep 64 bits of a number.
  static var nanoseconds: Self {
    Self(
      "nanoseconds since 1970, as text", .string(pattern: "^[+-]?[0-9]+$"),
      read: { f throws(Refusal) in
        guard let number = Int64(try f.string()) else {
          throw f.mustBe("nanoseconds since 1970 in decimal digits, as a string")
        }
        return number
      }, write: { $1.element(String($0)) })
  }
}

extension ValueForm<Int> {
  static var status: Self {
    Self(
      "an HTTP status", .integer((.min)...(.max)), read: { f throws(Refusal) in try f.integer(in: (Int.min)...(.max)) },
      write: { $1.value(Int64($0)) })
  }
}

extension ValueForm<UInt64> {
  /// A text, because few readers of JSON keep 64 bits of a number.
  static var inode: Self {
    Self(
      "an inode, as text", .string(pattern: "^[+]?[0-9]+$"),
      read: { f throws(Refusal) in
        guard let number = UInt64(try f.string()) else { throw f.mustBe("a number in decimal digits, as a string") }
        return number
      }, write: { $1.element(String($0)) })
  }
}

extension ValueForm<Timestamp> {
  /// A moment as a number of milliseconds: not every moment that stands for the end of time can be written as a date.
  static var instant: Self {
    Self(
      "milliseconds since 1970", .integer((.min)...(.max)),
      read: { f throws(Refusal) in Timestamp(milliseconds: try f.integer(in: (Int64.min)...(.max))) },
      write: { $1.value($0.milliseconds) })
  }
}

extension ValueForm where Value: RawRepresentable<String> & CaseIterable & Sendable {
  /// A name of an enumeration.
  static var choice: Self {
    Self(
      Value.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", "), .choice(of: Value.allCases),
      read: { f throws(Refusal) in try f.choice() }, write: { $1.element($0.rawValue) })
  }
}

extension ValueForm<StopMode> {
  private static var modes: [StopMode] { [.now, .drain] }

  /// The modes of a shutdown.
  static var shutdown: Self {
    Self("`now`, `drain`", .choice(of: modes), read: { f throws(Refusal) in try f.choice(of: modes) }) {
      $1.element($0.rawValue)
    }
  }
}

extension ValueForm<DownloadID> {
  static var downloadID: Self {
    Self(
      "an id", .definition("downloadID"), read: { f throws(Refusal) in try f.downloadID() },
      write: { $1.element($0.description) })
  }
}

extension ValueForm<[DownloadID]> {
  /// The ids that a client names.
  static var selectedIDs: Self { ids(atMost: DownloadIntent.Selection.maximumIDs) }

  /// The ids of as many downloads as can run at once.
  static var runningIDs: Self { ids(atMost: Settings.Limits.maxConcurrent.upperBound) }

  private static func ids(atMost limit: Int) -> Self {
    array("at most \(limit) ids", of: .downloadID, atMost: limit)
  }
}

extension ValueForm<Condition> {
  static var condition: Self { condition("a condition", by: DownloadConditionForm.self) }
}

extension ValueForm<WebAddress> {
  /// A URL; user and password are not written, but to an engine.
  static var address: Self {
    Self(
      "an http or https URL", .definition("url"), read: { f throws(Refusal) in try f.address() },
      write: { $1.element(address: $0) })
  }

  /// The URL of a feed, as it is or in a link such as `feed:https://…`.
  static var feedAddress: Self {
    Self(
      "an http or https URL", .definition("feedURL"), read: { f throws(Refusal) in try f.feedAddress() },
      write: { $1.element(address: $0) })
  }
}

extension JSONWriter {
  fileprivate mutating func element(address: WebAddress) {
    element(keepsSecrets ? address.description : address.shown)
  }
}

extension ValueForm<[WebAddress]> {
  static var mirrors: Self {
    Self(
      "at most \(Field.maximumMirrors) URLs", .definition("mirrors"), read: { f throws(Refusal) in try f.mirrors() }
    ) { mirrors, writer in
      writer.elements(mirrors) { $1.element(address: $0) }
    }
  }
}

extension ValueForm<[Header]> {
  /// Headers; their values are not written, but to an engine.
  static var headers: Self {
    Self(
      "an object of names and values", .definition("headers"), read: { f throws(Refusal) in try f.headers() }
    ) { headers, writer in
      writer.object { members in
        var names: Set<String> = []
        for header in headers.sorted(by: { $0.name < $1.name }) where names.insert(header.name.lowercased()).inserted {
          let value = members.keepsSecrets ? header.value : "…"
          // Until it is read again it may be anything.
          members.key(escaping: header.name)
          members.element(value)
        }
      }
    }
  }
}

extension ValueForm<Integrity> {
  static var integrity: Self {
    Self(
      "Subresource Integrity", .definition("integrity"), read: { f throws(Refusal) in try f.integrity() },
      write: { $1.element($0.description) })
  }
}

extension ValueForm<LibraryPath> {
  static var libraryPath: Self {
    Self(
      "a path in the library", .definition("libraryPath"), read: { f throws(Refusal) in try f.libraryPath() },
      write: { $1.element($0.description) })
  }
}

extension ValueForm<[LibraryPath]> {
  /// The folders above a file.
  static var madeFolders: Self { paths(atMost: LibraryPath.maximumComponents) }

  /// The folders of one round of upkeep.
  static var goneFolders: Self { paths(atMost: UpkeepStore.perRound) }

  private static func paths(atMost limit: Int) -> Self {
    array("at most \(limit) paths in the library", of: .libraryPath, atMost: limit)
  }
}

extension ValueForm<PublicationDate> {
  static var publicationDate: Self {
    Self(
      "a date and time of RFC 3339", .definition("inputMoment"),
      read: { f throws(Refusal) in try f.publicationDate() }, write: { $1.value($0) })
  }
}

extension ValueForm<ResumeRecord> {
  /// Resume data that a client brings.
  static var resumeData: Self {
    Self("resume data", .definition("resumeData"), read: { f throws(Refusal) in try f.resumeRecord() }) {
      $1.element($1.keepsSecrets ? $0.resumeData : $0.redacted.resumeData)
    }
  }

  /// A record that the engine itself has written. It holds servers' words as they came, so that the checks of clients'
  /// records do not apply.
  static var keptRecord: Self {
    Self("resume data", .string(), read: { f throws(Refusal) in try f.keptRecord() }) {
      $1.element($0.redacted.resumeData)
    }
  }
}

extension ValueForm<FilterID> {
  static var filter: Self {
    Self(
      "a filter such as `state:failed`", .string(), read: { f throws(Refusal) in try f.filter() },
      write: { $1.element($0.description) })
  }
}

extension ValueForm<FilterGroup.ID?> {
  /// The open group. That no group is open has to be said: a payload without a group is a mistake.
  static var group: Self {
    Self(
      FilterGroup.ID.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ") + ", or null", .anything,
      read: { f throws(Refusal) in f.value == .null ? nil : try f.choice() as FilterGroup.ID }
    ) { group, writer in
      if let group { writer.element(group.rawValue) } else { writer.value(nil as Int64?) }
    }
  }
}

extension Field {
  /// The values of an array of at most so many elements.
  func elements<Value>(
    atMost limit: Int, _ read: (Field) throws(Refusal) -> Value
  ) throws(Refusal) -> [Value] {
    var values: [Value] = []
    for element in try elements(atMost: limit) { values.append(try read(element)) }
    return values
  }

  fileprivate func keptRecord() throws(Refusal) -> ResumeRecord {
    guard let json = Data(base64Encoded: try string()),
      let record = try? JSONDecoder().decode(ResumeRecord.self, from: json)
    else { throw mustBe("a resume record in base64") }
    return record
  }
}
