import Foundation
import TestSupport

/// The temporary folder that holds the demo's library.
struct DemoFolder {
  private let folder: TemporaryFolder
  private let isKept: Bool

  init(isKept: Bool) throws {
    folder = try TemporaryFolder("podflux-demo")
    self.isKept = isKept
  }

  var libraryPath: String { folder.path + "/library" }

  /// The demo has ended: deletes the folder, unless the user wants to keep it.
  func leave(_ screen: Screen) {
    guard isKept else { return }
    let kept = folder.path + ".kept"
    do {
      try FileManager.default.moveItem(atPath: folder.path, toPath: kept)
      screen.say("The library is kept: \(kept)/library")
    } catch {
      screen.say("The library could not be kept: \(error)")
    }
  }
}
