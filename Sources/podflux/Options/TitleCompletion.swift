import ArgumentParser
import Foundation
import PodfluxCore
import PodfluxPeople
import Terminal

extension CompletionKind {
  /// Titles of what a command takes, for the shell.
  static func titles(of kinds: SelectedKinds) -> CompletionKind {
    .custom { words, _, prefix in
      TitleCompletion.titles(of: kinds, in: words, beginning: prefix).compactMap { $0.candidate(for: .requesting) }
    }
  }
}

/// The words that a shell offers for a selector. A library that cannot be read offers none: no shell shows a message
/// there.
enum TitleCompletion {
  /// How many are offered at most.
  private static let limit = 200

  /// - Parameters:
  ///   - kinds: What the command takes.
  ///   - words: The command line so far.
  ///   - prefix: The beginning of the word that is typed, as it is typed: it may have quotes and backslashes.
  static func titles(of kinds: SelectedKinds, in words: [String], beginning prefix: String) -> [String] {
    do {
      let hasFolder = !words.dropFirst().prefix(1).contains(where: withStatesOfDownloads.contains)
      let place = try LibraryPlace(
        library: value(of: "--library", in: words), state: hasFolder ? value(of: "--state", in: words) : nil,
        configuration: .ofProcess())
      return try titles(of: kinds, in: LibraryFolder(place: place), beginning: unquoted(prefix))
    } catch {
      return []
    }
  }

  private static func titles(
    of kinds: SelectedKinds, in source: LibraryFolder, beginning prefix: String
  ) throws -> [String] {
    var titles: [String] = []
    func offer(_ title: String?) {
      guard let title, !title.isEmpty, title.lowercased().hasPrefix(prefix.lowercased()), !titles.contains(title) else {
        return
      }
      titles.append(title)
    }
    if kinds.contains(.feeds) {
      let feeds = Dictionary(grouping: try source.feeds(fields: [.id, .title]), by: \.title)
      // A title that several have names none of them.
      for (title, named) in feeds where named.count == 1 { offer(title) }
      titles.sort()
    }
    // It finds all titles with the prefix, and others. A prefix of symbols alone cannot be searched for.
    let isSearchable = Condition.isSearchable(prefix)
    if kinds.contains(.downloads), titles.count < limit {
      let condition = isSearchable ? Condition.titleContains([prefix]) : .everything
      try source.forEachDownload(condition, order: .init(.added, isReversed: true), fields: [.id, .title]) { item in
        offer(item.title)
        return titles.count < limit
      }
    }
    if kinds.contains(.episodes), titles.count < limit {
      try source.forEachEpisode(
        isSearchable ? .titleContains([prefix]) : .everything, order: .init(.added, isReversed: true),
        fields: [.id, .title]
      ) { episode in
        offer(episode.title)
        return titles.count < limit
      }
    }
    return Array(titles.prefix(limit)).map(\.printable)
  }

  /// The commands whose `--state` is that of downloads, and no folder.
  private static let withStatesOfDownloads = Set(
    [
      LsCommand.configuration, PauseCommand.configuration, ResumeCommand.configuration, RetryCommand.configuration,
      RmCommand.configuration, VerifyCommand.configuration,
    ].compactMap(\.commandName))

  /// The value of an option: the next word, or what follows a `=`, which bash takes for a word of its own.
  private static func value(of option: String, in words: [String]) -> String? {
    if let word = words.first(where: { $0.hasPrefix(option + "=") }) {
      return unquoted(String(word.dropFirst(option.count + 1)))
    }
    guard let place = words.firstIndex(of: option) else { return nil }
    let behind = words[(place + 1)...]
    let value = behind.first == "=" ? behind.dropFirst().first : behind.first
    return value.map(unquoted)
  }

  /// What a shell would make of a word, or of its beginning: a quote need not be closed.
  static func unquoted(_ word: String) -> String {
    var (text, quote, isEscaped) = ("", Character?.none, false)
    for character in word {
      if isEscaped {
        // Within double quotes a backslash is one, unless what follows is special.
        if quote != nil, !"$`\"\\".contains(character) { text.append("\\") }
        text.append(character)
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
      } else if character == quote {
        quote = nil
      } else if quote == nil, character == "'" || character == "\"" {
        quote = character
      } else {
        text.append(character)
      }
    }
    return text
  }
}

extension String {
  /// A completion that the shell takes for exactly this text: a title is the feed's, and must not be evaluated. Nil if
  /// there is none.
  ///
  /// The script of ArgumentParser gives bash the candidates as a word list (`compgen -W`), in which bash expands
  /// variables and runs command substitutions. It calls them names of files (`complete -o filenames`): bash looks
  /// whether the only one is a folder, expands it for that, and runs what `$` and backquotes have in them, however
  /// it is escaped. So a title with one of these is not offered. In zsh a colon begins a description.
  fileprivate func candidate(for shell: CompletionShell?) -> String? {
    switch shell {
    case .bash? where utf8.contains(where: "$`".utf8.contains): nil
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
