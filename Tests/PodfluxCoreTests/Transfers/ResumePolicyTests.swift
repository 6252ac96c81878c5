import Flux
import Testing

@testable import PodfluxCore

@Suite("The resume policy")
struct ResumePolicyTests {
  static let record = ResumeRecord(
    url: "https://example.org/a.mp3", strongETag: "\"v1\"", lastModified: "Mon, 02 Nov 2026 10:00:00 GMT",
    total: 300_000, durable: 200_000, tailHash: "hash", bootID: "boot", savedAt: Timestamp(milliseconds: 0))
  static let kept = ResumePolicy.Kept(
    length: 200_000, version: FileVersion(record), isFromElsewhere: false, isProvenAtTheEnd: false)
  static let plan = ResumePolicy.Plan(kept)

  /// The kept bytes, with a change.
  static func keeping(_ change: (inout ResumePolicy.Kept) -> Void) -> ResumePolicy.Kept {
    var changed = kept
    change(&changed)
    return changed
  }

  static func head(_ status: Int, _ fields: [String: String]) -> ResponseHead {
    ResponseHead(
      status: status, effectiveURL: "https://example.org/a.mp3",
      fields: fields.sorted { $0.key < $1.key }.map { HTTPField(name: $0.key, value: $0.value) })
  }

  static func part(_ changes: [String: String] = [:]) -> ResponseHead {
    let fields = [
      "Content-Range": "bytes 134464-299999/300000", "ETag": "\"v1\"", "Last-Modified": "Mon, 02 Nov 2026 10:00:00 GMT",
      "Content-Type": "audio/mpeg",
    ]
    return head(206, fields.merging(changes) { $1 }.filter { !$0.value.isEmpty })
  }

  // MARK: Trust

  struct TrustCase: Sendable, CustomTestStringConvertible {
    var name: String
    var record: ResumeRecord? = ResumePolicyTests.record
    var length: Int64 = 200_000
    var hash: String? = "hash"
    var boot = "boot"
    var expected: ResumePolicy.Trust
    var testDescription: String { name }
  }

  @Test(
    "A partial file is trusted as far as its record allows",
    arguments: [
      TrustCase(name: "as recorded", expected: .keep(200_000)),
      TrustCase(name: "longer, same boot: the page cache has survived", length: 250_000, expected: .keep(250_000)),
      TrustCase(
        name: "longer, another boot: only what is durable", length: 250_000, boot: "x", expected: .keep(200_000)),
      TrustCase(name: "shorter", length: 199_999, expected: .discard(.partialMissing)),
      TrustCase(name: "gone", length: 0, hash: "other", expected: .discard(.partialMissing)),
      TrustCase(name: "another end", hash: "other", expected: .discard(.partialDamaged)),
      TrustCase(name: "no record: no bytes count", record: nil, hash: nil, expected: .keep(0)),
    ])
  func trust(_ row: TrustCase) {
    let trust = ResumePolicy.trust(
      in: row.record, partialLength: row.length, tailHash: row.hash, bootID: row.boot)
    #expect(trust == row.expected)
  }

  // MARK: Plan

  @Test("A resume requests the last 64 KiB again, with the strong validator")
  func planWithOverlap() {
    #expect(Self.plan == ResumePolicy.Plan(rangeStart: 200_000 - 65_536, ifRange: "\"v1\""))
  }

  struct PlanCase: Sendable, CustomTestStringConvertible {
    var name: String
    var kept: ResumePolicy.Kept
    var start: Int64?
    var condition: String?
    var testDescription: String { name }
  }

  @Test(
    "The request's range and condition",
    arguments: [
      PlanCase(
        name: "a short partial, from its beginning", kept: keeping { $0.length = 9 }, start: 0, condition: "\"v1\""),
      PlanCase(name: "nothing kept", kept: keeping { $0.length = 0 }),
      PlanCase(name: "a rotating tag is no condition", kept: keeping { $0.version.rotatesTags = true }, start: 134_464),
      PlanCase(
        name: "a date that is a strong validator",
        kept: keeping { ($0.version.strongETag, $0.version.isDateStrong) = (nil, true) }, start: 134_464,
        condition: "Mon, 02 Nov 2026 10:00:00 GMT"),
      PlanCase(name: "a date that is not", kept: keeping { $0.version.strongETag = nil }, start: 134_464),
      PlanCase(
        name: "another server: its file is ours if its tag is", kept: keeping { $0.isFromElsewhere = true },
        start: 134_464,
        condition: "\"v1\""),
      PlanCase(
        name: "another server without a tag: all of it is to be seen",
        kept: keeping { ($0.isFromElsewhere, $0.version.strongETag, $0.version.isDateStrong) = (true, nil, true) }),
      PlanCase(
        name: "another server, and the digest will tell",
        kept: keeping { ($0.isFromElsewhere, $0.isProvenAtTheEnd) = (true, true) }, start: 134_464),
    ])
  func plans(_ row: PlanCase) {
    #expect(ResumePolicy.Plan(row.kept) == ResumePolicy.Plan(rangeStart: row.start, ifRange: row.condition))
  }

  @Test(
    "A date is a strong validator only without a tag, and a minute before the response",
    arguments: [
      (nil, "Sat, 21 Nov 2026 03:01:00 GMT", true), (nil, "Sat, 21 Nov 2026 03:00:59 GMT", false),
      (nil, nil, false), (nil, "yesterday", false), ("W/\"x\"", "Sat, 21 Nov 2026 04:00:00 GMT", false),
    ] as [(String?, String?, Bool)])
  func strongDates(_ tag: String?, _ sent: String?, _ isStrong: Bool) {
    let fields = ["ETag": tag, "Date": sent, "Last-Modified": "Sat, 21 Nov 2026 03:00:00 GMT"].compactMapValues { $0 }
    #expect(FileVersion(Self.head(200, fields), at: Timestamp(milliseconds: 0)).isDateStrong == isStrong)
  }

  // MARK: Heads

  struct HeadCase: Sendable, CustomTestStringConvertible {
    var name: String
    var head: ResponseHead
    var plan = ResumePolicyTests.plan
    var kept = ResumePolicyTests.kept
    var expected: ResumePolicy.Verdict
    var testDescription: String { name }
  }

  @Test(
    "A head is judged before the first byte",
    arguments: [
      HeadCase(name: "the part asked for", head: part(), expected: .part(total: 300_000)),
      HeadCase(
        name: "no validators, where there were some", head: part(["ETag": "", "Last-Modified": ""]),
        expected: .askForWhole(.validatorChanged)),
      HeadCase(
        name: "a tag, where there was only a date", head: part(["Last-Modified": ""]),
        kept: keeping { ($0.version.strongETag, $0.version.tagHash) = (nil, nil) },
        expected: .askForWhole(.validatorChanged)),
      HeadCase(
        name: "validators, where there were none", head: part(),
        kept: keeping { ($0.version.strongETag, $0.version.tagHash, $0.version.lastModified) = (nil, nil, nil) },
        expected: .askForWhole(.validatorChanged)),
      HeadCase(
        name: "never any validators: the overlap decides", head: part(["ETag": "", "Last-Modified": ""]),
        kept: keeping { ($0.version.strongETag, $0.version.tagHash, $0.version.lastModified) = (nil, nil, nil) },
        expected: .part(total: 300_000)),
      HeadCase(
        name: "no validators, and the digest will tell", head: part(["ETag": "", "Last-Modified": ""]),
        kept: keeping { $0.isProvenAtTheEnd = true }, expected: .part(total: 300_000)),
      HeadCase(
        name: "less than asked for, and something new", head: part(["Content-Range": "bytes 134464-200000/300000"]),
        expected: .part(total: 300_000)),
      HeadCase(
        name: "less than asked for, and nothing new", head: part(["Content-Range": "bytes 134464-199999/300000"]),
        expected: .askForWhole(.rangeMismatch)),
      HeadCase(
        name: "all of the file as a part that nothing asked for",
        head: part(["Content-Range": "bytes 0-299999/300000"]), plan: .wholeFile, expected: .whole),
      HeadCase(name: "a whole file of a proxy", head: head(203, [:]), plan: .wholeFile, expected: .whole),
      HeadCase(name: "a whole file of a proxy for a part", head: head(203, [:]), expected: .whole),
      HeadCase(name: "the same tag, weak", head: part(["ETag": "W/\"v1\""]), expected: .part(total: 300_000)),
      HeadCase(name: "the same tag, unquoted", head: part(["ETag": "v1"]), expected: .part(total: 300_000)),
      HeadCase(name: "another weak tag", head: part(["ETag": "W/\"v2\""]), expected: .askForWhole(.validatorChanged)),
      HeadCase(name: "another tag, unquoted", head: part(["ETag": "v2"]), expected: .askForWhole(.validatorChanged)),
      HeadCase(
        name: "another tag, too long", head: part(["ETag": "\"\(String(repeating: "v", count: 2000))\""]),
        expected: .askForWhole(.validatorChanged)),
      HeadCase(
        name: "a weak tag, then another", head: part(["ETag": "W/\"v2\""]),
        kept: keeping { ($0.version.strongETag, $0.version.tagHash) = (nil, EntityTag.hash(of: "W/\"v1\"")) },
        expected: .askForWhole(.validatorChanged)),
      HeadCase(
        name: "no tag, then one", head: part(),
        kept: keeping { ($0.version.strongETag, $0.version.tagHash) = (nil, nil) }, expected: .part(total: 300_000)),
      HeadCase(name: "another strong tag", head: part(["ETag": "\"v2\""]), expected: .askForWhole(.validatorChanged)),
      HeadCase(
        name: "another date", head: part(["Last-Modified": "Tue, 03 Nov 2026 10:00:00 GMT"]),
        expected: .askForWhole(.validatorChanged)),
      HeadCase(
        name: "another total", head: part(["Content-Range": "bytes 134464-299999/300001"]),
        expected: .askForWhole(.lengthChanged)),
      HeadCase(
        name: "another start", head: part(["Content-Range": "bytes 134465-299999/300000"]),
        expected: .askForWhole(.rangeMismatch)),
      HeadCase(
        name: "an unknown total", head: part(["Content-Range": "bytes 134464-299999/*"]),
        expected: .askForWhole(.rangeMismatch)),
      HeadCase(name: "no Content-Range", head: part(["Content-Range": ""]), expected: .askForWhole(.rangeMismatch)),
      HeadCase(
        name: "multipart", head: part(["Content-Range": "", "Content-Type": "multipart/byteranges; boundary=x"]),
        expected: .askForWhole(.rangeMismatch)),
      HeadCase(name: "the whole file, same version", head: head(200, ["ETag": "\"v1\""]), expected: .whole),
      HeadCase(name: "the whole file, changed", head: head(200, ["ETag": "\"v2\""]), expected: .whole),
      HeadCase(name: "416", head: head(416, ["Content-Range": "bytes */10"]), expected: .askForWhole(.lengthChanged)),
      HeadCase(
        name: "416 that contradicts itself", head: head(416, ["Content-Range": "bytes */300000"]),
        expected: .askForWhole(.rangeMismatch)),
      HeadCase(
        name: "a whole file that is announced as a page", head: head(200, ["Content-Type": "text/html"]),
        expected: .whole),
      HeadCase(
        name: "a part that is announced as a page", head: part(["Content-Type": "text/html"]),
        expected: .askForWhole(.notMedia)),
      HeadCase(name: "412", head: head(412, [:]), expected: .askForWhole(.validatorChanged)),
      HeadCase(name: "a whole file asked for", head: head(200, [:]), plan: .wholeFile, expected: .whole),
      HeadCase(
        name: "another tag where tags rotate", head: part(["ETag": "\"v2\""]),
        kept: keeping { $0.version.rotatesTags = true }, expected: .part(total: 300_000)),
      HeadCase(
        name: "another tag where tags rotate, and no date", head: part(["ETag": "\"v2\"", "Last-Modified": ""]),
        kept: keeping { $0.version.rotatesTags = true }, expected: .askForWhole(.validatorChanged)),
      HeadCase(
        name: "a total that is shorter than what is kept", head: part(["Content-Range": "bytes 134464-199998/199999"]),
        kept: keeping { $0.version.total = nil }, expected: .askForWhole(.lengthChanged)),
      HeadCase(
        name: "another server with the same tag", head: part(), kept: keeping { $0.isFromElsewhere = true },
        expected: .part(total: 300_000)),
      HeadCase(
        name: "another server without a tag", head: part(["ETag": ""]), kept: keeping { $0.isFromElsewhere = true },
        expected: .askForWhole(.validatorChanged)),
      HeadCase(
        name: "another server, and the digest will tell", head: part(["ETag": "\"v9\"", "Last-Modified": ""]),
        kept: keeping { ($0.isFromElsewhere, $0.isProvenAtTheEnd) = (true, true) }, expected: .part(total: 300_000)),
    ])
  func judge(_ row: HeadCase) {
    #expect(ResumePolicy.judge(row.head, plan: row.plan, kept: row.kept) == row.expected)
  }

  @Test(
    "Names that stand for no coding are none",
    arguments: ["", "identity", "none", "None", "binary", "8bit", "UTF-8", "aws-chunked"])
  func noCoding(_ name: String) {
    let head = Self.head(200, ["Content-Encoding": name])
    #expect(!head.isCoded && head.contentCoding == nil)
    #expect(ResumePolicy.judge(head, plan: .wholeFile, kept: Self.kept) == .whole)
  }

  @Test(
    "A body whose head declares no media never reaches the partial file",
    arguments: [
      (200, ["Content-Encoding": "gzip"], DownloadError.Code.notMedia),
      (206, ["Content-Range": "bytes 0-1/3"], .rangeMismatch),
      (204, [:], .httpStatus), (401, [:], .unauthorized), (403, [:], .forbidden), (404, [:], .notFound),
      (410, [:], .gone), (416, [:], .httpStatus), (429, [:], .httpStatus), (503, [:], .httpStatus),
    ] as [(Int, [String: String], DownloadError.Code)])
  func failures(_ status: Int, _ fields: [String: String], _ code: DownloadError.Code) {
    guard case .fail(let error) = ResumePolicy.judge(Self.head(status, fields), plan: .wholeFile, kept: Self.kept)
    else {
      Issue.record("a \(status) was accepted")
      return
    }
    #expect(error.code == code)
  }

  @Test(
    "Statuses for server trouble or a cooldown are transient; others are not",
    arguments: [
      (408, true), (425, true), (429, true), (500, true), (501, true), (503, true), (599, true), (400, false),
      (418, false), (301, false),
    ])
  func transience(_ status: Int, _ isTransient: Bool) {
    #expect(DownloadError(.httpStatus, "", status: status).isTransient == isTransient)
  }
}
