import EngineRuntime
import Foundation
import PodfluxCore

/// Checks that need the machine. They are made before a turn sees the request: stores do not ask the system.
extension EngineRequest {
  /// The request, refused if it asks for what this machine does not have, with the documents read that it names, and
  /// with its secret in the vault.
  ///
  /// - Parameter library: The library's folder.
  func checked(for library: String, with vault: VaultDoor) -> EngineRequest {
    keepingSecret(with: vault).refusedUnlessChecked(for: library)
  }

  private func refusedUnlessChecked(for library: String) -> EngineRequest {
    do throws(Refusal) {
      return try checked(for: library)
    } catch {
      return EngineRequest(.refused(error), by: client, completion: completion)
    }
  }

  private func checked(for library: String) throws(Refusal) -> EngineRequest {
    if case .query(let query) = content { try query.checkConditions() }
    guard let intent else { return self }
    try intent.checkConditions()
    switch intent {
    case .updateSettings(let patch):
      try Self.check(patch)
      return exemplified(by: patch.filenameTemplate, portably: patch.portableNames ?? true)
    case .podcasts(.subscribe(let subscription)): return exemplified(by: subscription.wishes.filenameTemplate)
    case .podcasts(.update(_, let update)): return exemplified(by: update.filenameTemplate)
    case .podcasts(.importDocument(let document)):
      return EngineRequest(.intent(.podcasts(.import(try document.feeds()))), by: client, completion: completion)
    case .cleanup(.adopt(let request)):
      guard let folder = request.folder else { return self }
      guard folder.hasPrefix("/") else {
        // The turn refuses what no library can have.
        if (try? request.adopting) != nil { try Self.checkFolder(library + "/" + folder) }
        return self
      }
      let inside = try request.inside(Self.withoutLinks(library), folder: Self.withoutLinks(folder))
      try Self.checkFolder(folder)
      return EngineRequest(.intent(.cleanup(.adopt(inside))), by: client, completion: completion)
    default: return self
    }
  }

  private static func checkFolder(_ path: String) throws(Refusal) {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
      throw Refusal(.notFound, "there is no such folder; name one of the library", path: "payload.folder")
    }
  }

  /// The request, whose reply shows what a template makes of an invented episode.
  private func exemplified(by template: NameTemplate?, portably: Bool = true) -> EngineRequest {
    guard let template, let path = NameExample.path(by: template, portably: portably) else { return self }
    return EngineRequest(content, by: client) { [completion] response in
      guard case .reply(let reply) = response.outcome else { return completion(response) }
      // A subscription that was there before stays as it is.
      if case .subscribed(_, created: false) = reply { return completion(response) }
      completion(Response(outcome: .reply(.exemplified(reply, path: path)), revision: response.revision))
    }
  }

  /// The absolute path, in which no link is followed later.
  private static func withoutLinks(_ path: String) -> String {
    URL(fileURLWithPath: path).resolvingSymlinksInPath().path
  }

  private static func check(_ patch: SettingsPatch) throws(Refusal) {
    guard let zone = patch.nameTimeZone, !LocalClock.knows(zone) else { return }
    throw Refusal(
      .invalidValue,
      "this machine knows no time zone \"\(zone.text)\"; give publisher, or a name such as Europe/Vienna or UTC",
      path: "payload.nameTimeZone")
  }
}
