import ArgumentParser

/// An unknown command, with a suggestion.
struct MistypedCommand: CustomStringConvertible {
  /// How many letters may be wrong, missing, added or transposed.
  private static let mistakes = 2

  private let word: String
  /// The valid words before it.
  private let path: [String]
  private let commands: [String]

  /// Nil if the arguments begin with valid commands, or with none.
  init?(_ arguments: [String]) {
    var subcommands = Podflux.configuration.subcommands
    var path = ["podflux"]
    for word in arguments.first == "help" ? arguments.dropFirst() : arguments[...] {
      guard !subcommands.isEmpty, !word.hasPrefix("-") else { return nil }
      guard let next = subcommands.first(where: { $0.configuration.commandName == word }) else {
        self.word = word
        self.path = path
        commands = subcommands.compactMap { $0.configuration.commandName } + (path.count == 1 ? ["help"] : [])
        return
      }
      subcommands = next.configuration.subcommands
      path.append(word)
    }
    return nil
  }

  /// One sentence for users.
  var description: String {
    let (place, typed) = (path.joined(separator: " "), word.prefix(Self.shownLength))
    if let command = commands.first(where: { $0.hasPrefix(word) }) ?? nearest {
      return "there is no \"\(place) \(typed)\"; did you mean \"\(place) \(command)\"?"
    }
    return """
      there is no "\(place) \(typed)"; there are \(commands.joined(separator: ", ")), and \
      "\((["podflux", "help"] + path.dropFirst()).joined(separator: " "))" says more
      """
  }

  /// The most similar command; nil if none is similar.
  private var nearest: String? {
    let distances = commands.map { ($0, Self.distance(from: word, to: $0)) }
    return distances.filter { $1 <= min(Self.mistakes, max(1, $0.count - 2)) }.min { $0.1 < $1.1 }?.0
  }

  /// How many characters of a word are repeated.
  private static let shownLength = 40

  /// How many letters must be changed, inserted, deleted, or transposed with a neighbour (optimal string alignment
  /// distance).
  private static func distance(from word: String, to other: String) -> Int {
    let (first, second) = (Array(word.lowercased().prefix(shownLength)), Array(other))
    var rows = [Array(0...second.count)]
    for row in first.indices {
      var next = [row + 1]
      for column in second.indices {
        var least = min(
          next[column] + 1, rows[row][column + 1] + 1, rows[row][column] + (first[row] == second[column] ? 0 : 1))
        if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
          least = min(least, rows[row - 1][column - 1] + 1)
        }
        next.append(least)
      }
      rows.append(next)
    }
    return rows[first.count][second.count]
  }
}
