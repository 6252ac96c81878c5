import Feeds
import PodfluxCore

/// Values of the feed's model as JSON, with sorted keys and without what is nil or empty: what the corpus expects.
enum JSONRendering {
  static func text(of reading: Reading) -> String {
    var fields: [(String, JSON)] = []
    switch reading.outcome {
    case .feed(let report):
      fields = object(report)
    case .page(let feeds): fields = [("page", .array(feeds.map { json($0) ?? .null }))]
    case .unknown: fields = [("unknown", .bare("true"))]
    }
    fields.append(("items", .array(reading.episodes.map { json($0) ?? .null })))
    return JSON.object(fields).text(indentation: 0) + "\n"
  }

  indirect enum JSON {
    case null
    case bare(String)
    case string(String)
    case array([JSON])
    case object([(String, JSON)])

    func text(indentation: Int) -> String {
      let margin = String(repeating: " ", count: indentation)
      switch self {
      case .null: return "null"
      case .bare(let text): return text
      case .string(let text): return JSONRendering.quoted(text)
      case .array(let values):
        guard !values.isEmpty else { return "[]" }
        let lines = values.map { margin + "  " + $0.text(indentation: indentation + 2) }
        return "[\n" + lines.joined(separator: ",\n") + "\n" + margin + "]"
      case .object(let fields):
        guard !fields.isEmpty else { return "{}" }
        let lines = fields.sorted { $0.0 < $1.0 }.map {
          margin + "  " + JSONRendering.quoted($0.0) + ": " + $0.1.text(indentation: indentation + 2)
        }
        return "{\n" + lines.joined(separator: ",\n") + "\n" + margin + "}"
      }
    }
  }

  private static func json(_ value: Any) -> JSON? {
    switch value {
    case let value as String: return .string(value)
    case let value as Bool: return .bare(String(value))
    case let value as any BinaryInteger: return .bare(String(value))
    case let value as Double: return .bare(String(value))
    case let value as WebAddress: return .string(value.description)
    case let value as Integrity: return .string(value.description)
    case let value as PublicationDate:
      var bytes: [UInt8] = []
      InternetDate.append(value, to: &bytes)
      return .string(String(decoding: bytes, as: UTF8.self))
    case let value as FeedProblem: return .string(line(value))
    case let value as any RawRepresentable: return json(value.rawValue)
    default: break
    }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .optional: return mirror.children.first.flatMap { json($0.value) }
    case .collection:
      let values = mirror.children.compactMap { json($0.value) }
      return values.isEmpty ? nil : .array(values)
    default:
      let fields = object(value)
      return fields.isEmpty ? nil : .object(fields)
    }
  }

  private static func object(_ value: Any) -> [(String, JSON)] {
    Mirror(reflecting: value).children.compactMap { child in
      guard let label = child.label, let json = json(child.value) else { return nil }
      // An optional flag that is false says something.
      if type(of: child.value) == Bool.self, case .bare(let text) = json, text == "false", label != "isWhole",
        label != "isLocked"
      {
        return nil
      }
      return (label, json)
    }
  }

  /// A problem as one line: `item 2: enclosure/@length invalid "12 MB"`.
  private static func line(_ problem: FeedProblem) -> String {
    let place = problem.episode.map { "item \($0): " } ?? ""
    let name = problem.element + (problem.attribute.map { "/@" + $0 } ?? "")
    let fault =
      switch problem.fault {
      case .missing: "missing"
      case .invalid(let value): "invalid \(quoted(value))"
      case .tooLong: "too long"
      case .tooMany: "too many"
      case .unidentifiable: "unidentifiable"
      }
    return place + name + " " + fault
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case _ where scalar.value < 0x20:
        quoted += "\\u00" + (scalar.value < 0x10 ? "0" : "") + String(scalar.value, radix: 16)
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
