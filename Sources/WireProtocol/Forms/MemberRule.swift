import PodfluxCore

/// What the members of a payload must be together.
enum MemberRule: Hashable, Sendable {
  /// The payload has exactly one of these members, which chooses its subject.
  case one(of: [String], choosing: String)
  /// The payload has at least one of these members: a change of nothing is a mistake.
  case any(of: [String])
  /// The payload has at most one of these members; otherwise the refusal has this message.
  case atMostOne(of: [String], otherwise: String)

  /// Whether a payload without any of the members breaks the rule.
  var needsMembers: Bool { if case .atMostOne = self { false } else { true } }

  /// - Throws: what is missing, or given more than once.
  func check(_ fields: Fields) throws(Refusal) {
    switch self {
    case .one(let keys, let things):
      let list = keys.joined(separator: ", ")
      switch fields.count(of: keys) {
      case 0: throw Refusal(.missingField, "it is not said which \(things); give one of \(list)", path: fields.path)
      case 1: return
      default:
        throw Refusal(
          .invalidValue, "the \(things) are chosen in several ways; give only one of \(list)", path: fields.path)
      }
    case .any(let keys):
      guard fields.count(of: keys) == 0 else { return }
      throw Refusal(
        .missingField, "nothing is to change; give any of " + keys.joined(separator: ", "), path: fields.path)
    case .atMostOne(let keys, let message):
      guard fields.count(of: keys) > 1 else { return }
      throw Refusal(.invalidValue, message, path: fields.path)
    }
  }
}

extension Fields {
  fileprivate func count(of keys: [String]) -> Int { keys.count { object[$0] != nil } }
}
