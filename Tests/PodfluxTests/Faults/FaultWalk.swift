import ScriptedOrigin
import TestSupport

/// A random sequence of faults for one file, which ends with a correct origin.
struct FaultWalk: Sendable {
  /// The behaviour for a request.
  struct Step: Sendable {
    let name: String
    let behaviour: Behaviour
    /// The errors with which a download may fail after this behaviour.
    let errors: Set<String>
  }

  let number: Int
  let steps: [Step]
  /// The versions of the file, the last one being final.
  let versions: [Body]
  /// Whether the client knows the hash of the last version.
  let isProven: Bool

  private static let lengths = 200_000...400_000
  private static let stepCounts = 2...10

  init(number: Int, seed: UInt64) {
    var random = SeededRandom(seed: seed &+ UInt64(number) &* 1_000_003)
    var maker = StepMaker(number: number, random: random)
    self.number = number
    steps = (0..<Int.random(in: Self.stepCounts, using: &random)).map { _ in maker.step() } + [maker.last()]
    versions = maker.versions
    isProven = Int.random(in: 0..<4, using: &random) == 0
  }

  var id: String { "walk-\(number)" }
  var path: String { "/\(number).mp3" }

  /// Whether this result is legal for the walk after this many requests.
  func explains(_ item: Item, afterRequests count: Int) -> Bool {
    guard item.state == "failed", let code = item.errorCode, item.path == nil, count > 0 else { return false }
    let reason = code == "retries_exhausted" ? item.errorCause ?? "" : code
    if reason == "integrity_mismatch" { return isProven && versions.count > 1 }
    return steps[min(count, steps.count) - 1].errors.contains(reason)
  }

  /// The steps, for the analysis of a failure.
  var story: String { steps.map(\.name).joined(separator: ", ") }

  // MARK: Making

  /// Draws one step after the other.
  private struct StepMaker {
    let number: Int
    var random: SeededRandom
    var versions: [Body] = []
    private var resource: Resource

    init(number: Int, random: SeededRandom) {
      self.number = number
      // Another sequence than the walk's own.
      self.random = SeededRandom(
        seed: ~UInt64(number)
          ^ {
            var copy = random; return copy.next()
          }())
      resource = Resource(.empty)
      renew()
      switch Int.random(in: 0..<4, using: &self.random) {
      case 0: break
      case 1: resource.entityTag = .weak("v1")
      case 2: resource.lastModified = "Sat, 07 Mar 2026 10:00:00 GMT"
      default: resource.entityTag = .strong("v1")
      }
    }

    /// The file changes to another version.
    private mutating func renew() {
      let length = Int.random(in: FaultWalk.lengths, using: &random)
      resource.body = .audio(length: length, seed: UInt64(number) << 8 + UInt64(versions.count))
      versions.append(resource.body)
    }

    mutating func last() -> Step {
      resource.ranges = .honoured
      return Step(name: "all well", behaviour: .resource(resource), errors: [])
    }

    mutating func step() -> Step {
      resource.ranges = .honoured
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<34: return broken("cut")
      case 34..<48: return changed()
      case 48..<64: return careless()
      case 64..<72: return lying()
      case 72..<84: return stranger()
      case 84..<98: return refusal()
      default: return final()
      }
    }

    /// The file or the requested part, mostly incomplete.
    private mutating func broken(_ name: String, _ change: (Behaviour) -> Behaviour = { $0 }) -> Step {
      let offset = Int.random(in: 0..<resource.body.length, using: &random)
      let behaviour = change(.resource(resource))
      switch Int.random(in: 0..<20, using: &random) {
      case 0: return Step(name: name, behaviour: behaviour, errors: ["connection_lost", "length_mismatch"])
      case 1:
        return Step(
          name: "\(name), silent at \(offset)", behaviour: behaviour.stalling(afterBytes: offset),
          errors: ["timeout", "connection_lost"])
      case 2..<6:
        return Step(
          name: "\(name), reset at \(offset)", behaviour: behaviour.resetting(afterBytes: offset),
          errors: ["connection_lost"])
      default:
        return Step(
          name: "\(name) at \(offset)", behaviour: behaviour.cutting(afterBytes: offset), errors: ["connection_lost"])
      }
    }

    /// Another version, with another validator or the same.
    private mutating func changed() -> Step {
      renew()
      switch (resource.entityTag, Bool.random(using: &random)) {
      case (.strong, true): resource.entityTag = .strong("v\(versions.count)")
      case (.weak, true): resource.entityTag = .weak("v\(versions.count)")
      default: break
      }
      return broken("version \(versions.count)")
    }

    /// The right content, but not the requested part.
    private mutating func careless() -> Step {
      let policies: [RangePolicy] = [
        .ignored, .honouredDespiteIfRange, .shifted(byBytes: 1000), .shifted(byBytes: -1000), .multipart, .refused,
      ]
      resource.ranges = policies.randomElement(using: &random) ?? .ignored
      return broken("ranges \(resource.ranges)")
    }

    /// A head that does not match the content.
    private mutating func lying() -> Step {
      switch Int.random(in: 0..<5, using: &random) {
      case 0: return broken("no Content-Range") { $0.removingHeader("Content-Range") }
      case 1: return broken("another Content-Range") { $0.settingHeader("Content-Range", "bytes 1-2/3") }
      case 2: return broken("too large a Content-Length") { $0.settingHeader("Content-Length", "500000") }
      case 3: return broken("chunks") { $0.framed(.chunked) }
      default:
        let tag = EntityTag.strong("r\(Int.random(in: 0..<1000, using: &random))").fieldValue
        return broken("tag \(tag)") { $0.settingHeader("ETag", tag) }
      }
    }

    /// Other content than the file.
    private mutating func stranger() -> Step {
      let page = Body.text("<!DOCTYPE html><html>" + String(repeating: "<p>Log in</p>", count: 100))
      func answer(_ name: String, _ type: String, _ body: Body, _ error: String = "not_media") -> Step {
        let behaviour = Behaviour.status(200, headers: ["Content-Type": type], body: body)
        return Step(name: name, behaviour: behaviour, errors: [error])
      }
      switch Int.random(in: 0..<5, using: &random) {
      case 0: return answer("a page", "text/html", page)
      case 1: return answer("a page called audio", "audio/mpeg", page)
      case 2: return answer("a fragment", "audio/mpeg", Body.stamped(length: 300, seed: 3)[100..<300])
      case 3: return answer("nothing", "audio/mpeg", .empty, "length_mismatch")
      default:
        resource.headers["Content-Encoding"] = "gzip"
        defer { resource.headers["Content-Encoding"] = nil }
        return Step(name: "gzip", behaviour: .resource(resource), errors: ["not_media"])
      }
    }

    /// A refusal with or without a cooldown.
    private mutating func refusal() -> Step {
      switch Int.random(in: 0..<14, using: &random) {
      case 0: return Step(name: "429", behaviour: .status(429), errors: ["http_status"])
      case 1:
        return Step(
          name: "silence", behaviour: Behaviour.resource(resource).failingBeforeHead(.stall), errors: ["timeout"])
      case 2, 3:
        return Step(
          name: "a cut before the head", behaviour: Behaviour.resource(resource).failingBeforeHead(.cut),
          errors: ["connection_lost"])
      case 4, 5:
        return Step(
          name: "a reset before the head", behaviour: Behaviour.resource(resource).failingBeforeHead(.reset),
          errors: ["connection_lost"])
      default:
        let status = [408, 425, 500, 502, 503, 504].randomElement(using: &random) ?? 503
        return Step(name: "\(status)", behaviour: .status(status), errors: ["http_status"])
      }
    }

    /// An answer that ends most downloads.
    private mutating func final() -> Step {
      switch Int.random(in: 0..<5, using: &random) {
      case 0: return Step(name: "404", behaviour: .status(404), errors: ["not_found"])
      case 1: return Step(name: "410", behaviour: .status(410), errors: ["gone"])
      case 2: return Step(name: "416", behaviour: .status(416), errors: ["http_status"])
      case 3: return Step(name: "412", behaviour: .status(412), errors: ["http_status"])
      default:
        return Step(
          name: "file://", behaviour: .redirect(to: "file:///etc/passwd"), errors: ["unsafe_redirect"])
      }
    }
  }
}
