/// What is wrong with a template; the description says it in one sentence, and what would be right.
///
/// ```swift
/// do throws(NameTemplateFault) { _ = try NameTemplate(validating: "{titel}") } catch { print(error.description) }
/// ```
public enum NameTemplateFault: Error, Hashable, Sendable, CustomStringConvertible {
  case tooLong(bytes: Int)
  case unknownField(String)
  case unclosedField
  case strayBrace
  case unclosedGroup
  case strayBracket
  case nestedGroup
  case groupWithoutField
  case badWidth(String)
  case needlessWidth(String)
  case forbiddenCharacter(codePoint: UInt32)
  case emptyName
  case hiddenName
  case tooDeep(names: Int)
  case tellsNoEpisode

  public var description: String {
    switch self {
    case .tooLong(let bytes):
      "the template has \(bytes) bytes; give at most \(NameTemplate.maximumBytes)"
    case .unknownField(let name): "there is no field {\(name)}; there are \(Self.list(NameTemplate.Field.allCases))"
    case .unclosedField: "a { has no }; write a field such as {title}, or {{ for a brace"
    case .strayBrace: "a } closes nothing; write a field such as {title}, or }} for a brace"
    case .unclosedGroup: "a [ has no ]; write a group such as [{date} ], or [[ for a bracket"
    case .strayBracket: "a ] closes nothing; write a group such as [{date} ], or ]] for a bracket"
    case .nestedGroup: "a group is within another one; end the first one before, or write [[ for a bracket"
    case .groupWithoutField:
      "a group has no field that can be missing; write one into it such as [{date} ], or [[ and ]] for brackets"
    case .badWidth(let text):
      """
      {\(text)} has no width from \(NameTemplate.widths.lowerBound) to \(NameTemplate.widths.upperBound); write it such as \
      {index:3}
      """
    case .needlessWidth(let name):
      "{\(name)} takes no width; only \(Self.list(NameTemplate.Field.allCases.filter(\.takesWidth))) do"
    case .forbiddenCharacter(let codePoint):
      "the template has the character U+\(Self.hexadecimal(codePoint)), which no name can have; leave it out"
    case .emptyName:
      "a name is empty: a / stands at the beginning, at the end or beside another one; write names such as {podcast}/{title}"
    case .hiddenName: "a name begins with a dot; begin it with something else"
    case .tooDeep(let names):
      "the template makes \(names) names one within the other; make at most \(LibraryPath.maximumComponents)"
    case .tellsNoEpisode:
      """
      the last name is the same for many episodes; write one of \
      \(Self.list(NameTemplate.Field.allCases.filter(\.tellsEpisodes))) into it
      """
    }
  }

  private static func list(_ fields: [NameTemplate.Field]) -> String {
    fields.map { "{\($0.rawValue)}" }.joined(separator: ", ")
  }

  private static func hexadecimal(_ number: UInt32) -> String {
    let digits = String(number, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
  }
}
