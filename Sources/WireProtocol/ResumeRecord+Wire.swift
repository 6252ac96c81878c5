import Flux
import FoundationEssentials
import PodfluxCore

/// Resume data on the wire: base64 of a record as JSON, opaque to clients.
extension ResumeRecord {
  /// The record as clients keep it.
  var resumeData: String {
    var json = JSONWriter()
    json.object { json in
      json.member("bootID", bootID)
      if !digestStates.isEmpty { json.array("digestStates", digestStates) { $1.element($0) } }
      json.member("durable", durable)
      if isDateStrong { json.member("isDateStrong", true) }
      if let lastModified { json.member("lastModified", lastModified) }
      if rotatesTags { json.member("rotatesTags", true) }
      json.member("savedAt", savedAt.milliseconds)
      if let strongETag { json.member("strongETag", strongETag) }
      if let tagHash { json.member("tagHash", tagHash) }
      json.member("tailHash", tailHash)
      if let total { json.member("total", total) }
      json.member("url", url)
      json.member("version", Int64(version))
    }
    return Data(json.bytes).base64EncodedString()
  }
}

extension Field {
  /// The longest resume data, in bytes: an address of full length, escaped, and some more.
  static let maximumResumeDataBytes = 64 * 1024

  /// Reads resume data. It went through others' hands, so nothing in it is believed that was not checked.
  func resumeRecord() throws(Refusal) -> ResumeRecord {
    let text = try string()
    guard text.utf8.count <= Self.maximumResumeDataBytes, let json = Data(base64Encoded: text) else {
      throw mustBe("base64 of at most \(Self.maximumResumeDataBytes) bytes, as downloads/resumeData replied")
    }
    var reader = JSONReader([UInt8](json))
    let document = reader.readDocument()
    guard document.fault == nil else { throw mustBe("what downloads/resumeData replied, unchanged") }
    do throws(Refusal) {
      return try ResumeRecord(document.object)
    } catch {
      // The way inside the record means nothing to a client, for whom it is opaque.
      throw refusal(.invalidValue, "the resume data is not usable: \(error.message)")
    }
  }
}

extension ResumeRecord {
  private static let keys = [
    "bootID", "digestStates", "durable", "isDateStrong", "lastModified", "rotatesTags", "savedAt", "strongETag",
    "tagHash", "tailHash", "total", "url", "version",
  ]
  /// There are as many digests as algorithms, and their states are short.
  private static let maximumDigestStates = 3
  private static let maximumDigestStateBytes = 512
  /// SHA-256 in hexadecimal digits.
  private static let tailHashLength = 64
  private static let maximumTextBytes = 256

  fileprivate init(_ object: JSONObject) throws(Refusal) {
    let fields = try Fields(object, at: "", knowing: Self.keys)
    let versions = Int64(Self.knownVersions.lowerBound)...Int64(Self.knownVersions.upperBound)
    _ = try fields.required("version").integer(in: versions)
    let lengths = DownloadIntent.Enqueue.lengths
    let total = try fields["total"]?.integer(in: lengths)
    self.init(
      url: try fields.required("url").address().description,
      strongETag: try fields["strongETag"]?.strongETag(),
      tagHash: try fields["tagHash"]?.integer(in: Int64.min...Int64.max),
      rotatesTags: try fields["rotatesTags"]?.boolean() ?? false,
      lastModified: try fields["lastModified"]?.plainText(atMost: Self.maximumTextBytes),
      isDateStrong: try fields["isDateStrong"]?.boolean() ?? false,
      total: total,
      durable: try fields.required("durable").integer(in: 0...(total ?? lengths.upperBound)),
      tailHash: try fields.required("tailHash").hash(digits: Self.tailHashLength),
      bootID: try fields.required("bootID").plainText(atMost: Self.maximumTextBytes),
      savedAt: Timestamp(milliseconds: try fields.required("savedAt").integer(in: lengths)),
      digestStates: try fields["digestStates"].map(Self.digestStates) ?? [])
  }
}

extension ResumeRecord {
  private static func digestStates(_ field: Field) throws(Refusal) -> [String] {
    var states: [String] = []
    for element in try field.elements(atMost: maximumDigestStates) {
      states.append(try element.plainText(atMost: maximumDigestStateBytes))
    }
    return states
  }
}

extension Field {
  fileprivate func strongETag() throws(Refusal) -> String {
    let text = try string()
    guard let tag = EntityTag(text), !tag.isWeak, !text.hasControlCharacters else {
      throw mustBe("a strong entity tag")
    }
    return text
  }

  fileprivate func plainText(atMost limit: Int) throws(Refusal) -> String {
    let text = try string()
    guard text.utf8.count <= limit, text.isPrintableASCII else {
      throw mustBe("at most \(limit) printable ASCII characters")
    }
    return text
  }

  fileprivate func hash(digits: Int) throws(Refusal) -> String {
    let text = try string()
    guard text.utf8.count == digits, text.utf8.allSatisfy(\.isHexadecimalDigit) else {
      throw mustBe("\(digits) hexadecimal digits in lower case")
    }
    return text
  }
}
