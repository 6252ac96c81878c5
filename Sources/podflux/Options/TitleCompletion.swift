import ArgumentParser
import Foundation
import PodfluxPeople
import Terminal

extension CompletionKind {
  /// Titles of feeds and downloads of the library, for the shell.
  static var titles: CompletionKind {
    .custom { words, _, prefix in
      TitleCompletion.titles(in: words, beginning: prefix).map { $0.candidate(for: .requesting) }
    }
  }
}

/// The words that a shell offers for a selector. A library that cannot be read offers none: no shell shows a message there.
enum TitleCompletion {
  /// How many are offered at most.
  private static let limit = 200

  /// - Parameters:
  ///   - words: The command line so far.
  ///   - prefix: The beginning of the word that is typed.
  static func titles(in words: [String], beginning prefix: String) -> [String] {
    do {
      let place = try LibraryPlace(
        library: value(of: "--library", in: words), state: value(of: "--state", in: words),
        configuration: .ofProcess())
      return try titles(of: LibraryFolder(place: place), beginning: prefix)
    } catch {
      return []
    }
  }

  private static func titles(of source: LibraryFolder, beginning prefix: String) throws -> [String] {
    var titles: [String] = []
    func offer(_ title: String?) {
      guard let title, !title.isEmpty, title.lowercased().hasPrefix(prefix.lowercased()), !titles.contains(title) else {
        return
      }
      titles.append(title)
    }
    for feed in try source.feeds(fields: [.id, .title]) { offer(feed.title) }
    try source.forEachDownload(order: .init(.added, isReversed: true), fields: [.id, .title]) { item in
      offer(item.title)
      return titles.count < limit
    }
    return Array(titles.prefix(limit)).map(\.printable)
  }

  private static func value(of option: String, in words: [String]) -> String? {
    guard let place = words.firstIndex(of: option), words.indices.contains(place + 1) else { return nil }
    return words[place + 1]
  }
}

extension String {
  /// A completion that the shell takes for exactly this text: a title is the feed's, and must not be evaluated.
  ///
  /// The script of ArgumentParser gives bash the candidates as a word list (`compgen -W`), in which bash expands variables
  /// and runs command substitutions; in zsh a colon begins a description.
  fileprivate func candidate(for shell: CompletionShell?) -> String {
    switch shell {
    case .bash?: escaped { $0.isASCII && !$0.properties.isAlphabetic && !("0"..."9").contains($0) && $0 != "_" }
    case .zsh?: escaped { $0 == ":" || $0 == "\\" }
    default: self
    }
  }

  private func escaped(where isSpecial: (Unicode.Scalar) -> Bool) -> String {
    var scalars = UnicodeScalarView()
    for scalar in unicodeScalars {
      if isSpecial(scalar) { scalars.append("\\") }
      scalars.append(scalar)
    }
    return String(scalars)
  }
}
