import Foundation
import TestSupport

/// An external change of a library.
enum Disaster: String, CaseIterable {
  case removed, renamed, movedToNewFolder, swapped, truncated, grown, replacedBySameLength, restoredFromCopy
  case foreignFile, foreignFolder, brokenName, hiddenFile, linkToFileOutside, linkToFolderOutside
  case folderInTheWay, linkInTheWay, pipe, tooDeep, emptyFolder, hardLink
  case partialRemoved, partialTruncated, partialGrown, orphanPartial, strayPartial

  /// Makes the change, if it is possible.
  func strike(_ scene: Scene, _ random: inout SeededRandom) throws {
    let files = scene.regularFiles()
    let partials = scene.partialFiles()
    switch self {
    case .removed: try scene.remove(files.randomElement(using: &random))
    case .renamed:
      guard let path = files.randomElement(using: &random) else { return }
      let folder = path.split(separator: "/").dropLast().map { $0 + "/" }.joined()
      try scene.move(path, to: folder + "renamed \(UInt16.random(in: 0 ... .max, using: &random)).mp3")
    case .movedToNewFolder:
      try scene.move(
        files.randomElement(using: &random),
        to: "New \(UInt8.random(in: 0...9, using: &random))/a/\(number(&random)).mp3")
    case .swapped:
      guard let first = files.randomElement(using: &random), let second = files.randomElement(using: &random),
        first != second
      else { return }
      try scene.move(first, to: "swap")
      try scene.move(second, to: first)
      try scene.move("swap", to: second)
    case .truncated:
      try scene.resize(files.randomElement(using: &random), by: -Int.random(in: 1...5000, using: &random))
    case .grown: try scene.resize(files.randomElement(using: &random), by: Int.random(in: 1...5000, using: &random))
    case .replacedBySameLength:
      guard let path = files.randomElement(using: &random) else { return }
      try scene.copy(path, to: "replacement")
      try scene.flipByte(of: "replacement")
      try scene.remove(path)
      try scene.move("replacement", to: path)
    case .restoredFromCopy:
      guard let path = files.randomElement(using: &random) else { return }
      try scene.copy(path, to: "restored")
      try scene.remove(path)
      try scene.move("restored", to: path)
    case .foreignFile: try scene.write("foreign \(number(&random))", to: "foreign-\(number(&random)).mp3")
    case .foreignFolder:
      for name in ["x", "y/z"] {
        try scene.write("\(name) \(number(&random))", to: "Foreign/\(number(&random))/\(name)")
      }
    case .brokenName:
      try scene.write(
        "broken \(number(&random))", toBytes: [0xFF, 0xFE, UInt8.random(in: 0x80...0xBF, using: &random)])
    case .hiddenFile: try scene.write("hidden \(number(&random))", to: ".hidden-\(number(&random))")
    case .linkToFileOutside: try scene.link("link-\(number(&random)).mp3", to: scene.outside + "/precious/file")
    case .linkToFolderOutside: try scene.link("link-\(number(&random))", to: scene.outside + "/precious")
    case .folderInTheWay:
      guard let path = files.randomElement(using: &random) else { return }
      try scene.remove(path)
      try scene.write("inside \(number(&random))", to: path + "/inside")
    case .linkInTheWay:
      guard let path = files.randomElement(using: &random) else { return }
      try scene.remove(path)
      try scene.link(path, to: scene.outside + "/precious/file")
    case .pipe: mkfifo(scene.library + "/pipe-\(number(&random))", 0o644)
    case .tooDeep:
      let folders = (0..<18).map { "d\($0)/" }.joined()
      try scene.write("deep \(number(&random))", to: folders + "deep.mp3")
    case .emptyFolder:
      try FileManager.default.createDirectory(
        atPath: scene.library + "/empty-\(number(&random))", withIntermediateDirectories: true)
    case .hardLink:
      guard let path = files.randomElement(using: &random) else { return }
      Glibc.link(scene.library + "/" + path, scene.library + "/hard-\(number(&random)).mp3")
    case .partialRemoved: try partials.randomElement(using: &random).map { try scene.remove(".podflux/partial/" + $0) }
    case .partialTruncated:
      try scene.resize(partials.randomElement(using: &random).map { ".podflux/partial/" + $0 }, by: -70_000)
    case .partialGrown:
      try scene.resize(partials.randomElement(using: &random).map { ".podflux/partial/" + $0 }, by: 5000)
    case .orphanPartial: try scene.write("absent", to: ".podflux/partial/absent-\(number(&random)).part")
    case .strayPartial: try scene.write("stray \(number(&random))", to: ".podflux/partial/stray-\(number(&random))")
    }
  }

  private func number(_ random: inout SeededRandom) -> Int { Int.random(in: 0...99_999, using: &random) }
}

extension Scene {
  /// The visible regular files behind no link, in order; without names that are not UTF-8.
  func regularFiles() -> [String] {
    publishedFiles().filter { path in
      !path.split(separator: "/").contains { $0.hasPrefix(".") } && !hasLink(onTheWayTo: path) && isRegular(path)
    }
  }

  fileprivate func resize(_ path: String?, by difference: Int) throws {
    guard let path else { return }
    let length = try FileManager.default.attributesOfItem(atPath: library + "/" + path)[.size] as? Int ?? 0
    truncate(library + "/" + path, max(0, length + difference))
  }

  fileprivate func link(_ path: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: library + "/" + path, withDestinationPath: target)
  }

  private func isRegular(_ path: String) -> Bool {
    var status = stat()
    return lstat(library + "/" + path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  private func hasLink(onTheWayTo path: String) -> Bool {
    var folder = library
    for name in path.split(separator: "/").dropLast() {
      folder += "/" + name
      var status = stat()
      if lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFLNK { return true }
    }
    return false
  }
}
