import Foundation

extension EngineConfiguration {
  /// The same with absolute paths: they stay right when the program changes its working directory, and an engine that
  /// is resumed opens them again.
  ///
  /// - Throws: `EngineError.unreadableLibrary` if the path of the library or of its state is none.
  func withAbsolutePaths() throws(EngineError) -> EngineConfiguration {
    if [libraryPath, statePath].contains(where: { $0?.utf8.contains(0) ?? false }) {
      throw .unreadableLibrary("the library cannot be opened: its path, or that of its state, has a NUL byte in it")
    }
    if let url = [libraryPath, statePath].lazy.compactMap(\.self).first(where: { $0.hasPrefix("file://") }) {
      throw .unreadableLibrary("the library cannot be opened: \"\(url)\" is the text of a URL; give its path")
    }
    var configuration = self
    configuration.libraryPath = Self.absolute(libraryPath)
    configuration.statePath = statePath.map(Self.absolute)
    configuration.certificateAuthorityFile = certificateAuthorityFile.map(Self.absolute)
    configuration.tagger?.path = Self.absolute(tagger?.path ?? "")
    configuration.journal?.path = Self.absolute(journal?.path ?? "")
    return configuration
  }

  /// The path in the working directory; the same one if it is absolute or empty, or if that directory is gone.
  private static func absolute(_ path: String) -> String {
    let folder = FileManager.default.currentDirectoryPath
    guard !path.isEmpty, !path.hasPrefix("/"), !folder.isEmpty else { return path }
    return (folder == "/" ? "" : folder) + "/" + path
  }
}
