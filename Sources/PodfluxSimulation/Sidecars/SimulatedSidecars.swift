import EngineRuntime
import Flux
import PodfluxCore

/// Servers of pictures, chapters and transcripts. It has a generator of its own: a world without sidecars draws as if
/// there were none.
struct SimulatedSidecars {
  var random: SeededGenerator

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed, index: 3)
  }

  /// The answer to a request for a sidecar.
  struct Answer {
    /// The failure before a head comes.
    var failure: ExchangeFailure?
    var head: ResponseHead
    var body: [UInt8] = []
    /// Whether the connection breaks behind the body.
    var isCut = false
  }

  static func picture(of podcast: Int) -> String { "http://host\(podcast % 2).example/picture/\(podcast)" }

  /// What a feed says of an episode's sidecars: some have none.
  static func markup(of episode: Int) -> String {
    var text = ""
    // One of the hosts is this machine.
    let host = episode % 4 == 3 ? "127.0.0.1:8080" : "files\(episode % 2).example"
    if episode % 3 != 0 {
      text += "<podcast:chapters url=\"http://\(host)/chapters/\(episode)\" type=\"application/json+chapters\"/>"
    }
    if episode % 3 == 1 { text += "<itunes:image href=\"http://\(host)/picture/of/\(episode)\"/>" }
    if episode % 2 == 0 {
      text += "<podcast:transcript url=\"http://\(host)/transcript/\(episode)\" type=\"text/vtt\"/>"
    }
    return text
  }

  /// Whether a body is a picture, or a document of chapters, that this server has made and has not cut.
  static func isWhole(_ body: [UInt8], as part: TagMaterial.Part) -> Bool {
    switch part {
    case .chapters: body.first == UInt8(ascii: "{") && body.last == UInt8(ascii: "}")
    case .picture, .cover: (body.starts(with: pngMark) || body.starts(with: jpegMark)) && body.last == 0
    }
  }

  private static let pngMark: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  private static let jpegMark: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0]

  /// The answer to a request.
  ///
  /// - Parameter hasFaults: Whether something else may come.
  mutating func answer(_ request: HTTPRequest, hasFaults: Bool) -> Answer {
    func head(_ status: Int) -> ResponseHead { ResponseHead(status: status, effectiveURL: request.url, fields: []) }
    var answer = Answer(head: head(200), body: body(at: request.url))
    guard hasFaults else { return answer }
    switch random.below(16) {
    case 0: answer.failure = ExchangeFailure(.connectFailed, message: "nothing listens")
    case 1: answer.head = head(random.pick([404, 410, 429, 500, 503]))
    case 2: answer.body = Array("<!DOCTYPE html><html><body>Sign in</body></html>".utf8)
    case 3:
      answer.body.removeLast(random.below(answer.body.count))
      answer.isCut = true
    case 4: answer.body = []
    case 5: answer.body = [UInt8](repeating: UInt8(ascii: " "), count: SidecarLimits.pictureBytes + 1)
    default: break
    }
    return answer
  }

  /// Each time another one: publishers change their files.
  private mutating func body(at url: String) -> [UInt8] {
    let version = random.below(1_000)
    if url.contains("/picture/") {
      let magic = random.once(in: 2) ? Self.pngMark : Self.jpegMark
      return magic + Array("picture \(version)".utf8) + [UInt8](repeating: 0, count: 16)
    }
    if url.contains("/chapters/") {
      return Array("{\"version\":\"1.2.0\",\"chapters\":[{\"startTime\":\(version)}]}".utf8)
    }
    return Array("WEBVTT\n\n00:00.000 --> 00:01.000\nversion \(version)\n".utf8)
  }
}

/// Clients that want sidecars, and people who meddle with them.
extension World {
  func speakOfSidecars(to engine: SimulatedEngine) {
    guard var sidecars, suffers(.sidecars) else { return }
    defer { self.sidecars?.random = sidecars.random }
    if sidecars.random.once(in: 3) {
      var patch = SettingsPatch()
      patch.sidecars = SidecarKinds(SidecarKind.allCases.filter { _ in !sidecars.random.once(in: 3) })
      engine.ask(.updateSettings(patch))
    }
    if sidecars.random.once(in: 6) {
      var patch = SettingsPatch()
      patch.filenameTemplate = sidecars.random.once(in: 3) ? .standard : Self.folderTemplate
      engine.ask(.updateSettings(patch))
      engine.ask(.cleanup(.rename(RenameRequest())))
    }
    meddle(with: &sidecars)
  }

  private static let folderTemplate = (try? NameTemplate(validating: "{podcast}/{title}")) ?? .standard

  private func meddle(with sidecars: inout SimulatedSidecars) {
    if sidecars.random.once(in: 3) {
      let media = disk.published.keys.filter { $0.hasSuffix(".mp3") && $0.contains("/") }.sorted()
      if !media.isEmpty {
        let path = sidecars.random.pick(media)
        let folder = path.prefix { $0 != "/" }
        let place = sidecars.random.pick([
          path.dropLast(4) + ".info.json", path.dropLast(4) + ".chapters.json", folder + "/cover.png",
        ])
        addForeignFile(at: String(place))
      }
    }
    guard suffers(.people), sidecars.random.once(in: 3) else { return }
    let own = disk.published.filter { disk.isSidecar($0.value.file) && disk.cover(over: $0.key) == nil }.keys.sorted()
    guard !own.isEmpty else { return }
    let path = sidecars.random.pick(own)
    noteTrouble("a person meddles with the sidecar \(path)")
    switch sidecars.random.below(4) {
    case 0: disk.move(path, to: "elsewhere/\(sidecars.random.below(9)).json")
    case 1: disk.published[path]?.file.touch(at: disk.nextTime())
    default: disk.destroy(path)
    }
  }
}
