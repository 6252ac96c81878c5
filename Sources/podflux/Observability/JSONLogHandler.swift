import Flux
import Logging
import PodfluxCore

/// Writes each log message to stderr as one line of JSON.
struct JSONLogHandler: LogHandler {
  var logLevel = Logger.Level.info
  var metadata = Logger.Metadata()
  var metadataProvider: Logger.MetadataProvider?
  private let label: String

  init(label: String) {
    self.label = label
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var metadata = metadata.merging(metadataProvider?.get() ?? [:]) { $1 }.merging(event.metadata ?? [:]) { $1 }
    if let error = event.error { metadata["error"] = "\(error)" }
    StandardError.writeJSON(
      LogLine(label: label, level: event.level, message: event.message.description, metadata: metadata))
  }
}

/// A line of the log as JSON.
struct LogLine {
  var label: String
  var level: Logger.Level
  var message: String
  var metadata: Logger.Metadata = [:]

  /// The line with its line feed; members are in the order of the alphabet.
  func bytes(at moment: Timestamp) -> [UInt8] {
    var text = "{\"label\":"
    append(label, to: &text)
    text += ",\"level\":\"\(level.rawValue)\",\"message\":"
    append(message, to: &text)
    text += ",\"metadata\":"
    append(metadata, to: &text)
    text += ",\"time\":\""
    var bytes = Array(text.utf8)
    InternetDate.append(moment, to: &bytes)
    return bytes + Array("\"}\n".utf8)
  }

  private func append(_ metadata: Logger.Metadata, to text: inout String) {
    text += "{"
    for (index, (key, value)) in metadata.sorted(by: { $0.key < $1.key }).enumerated() {
      if index > 0 { text += "," }
      append(key, to: &text)
      text += ":"
      append(value, to: &text)
    }
    text += "}"
  }

  private func append(_ value: Logger.MetadataValue, to text: inout String) {
    switch value {
    case .string(let string): append(string, to: &text)
    case .stringConvertible(let value): append(value.description, to: &text)
    case .dictionary(let dictionary): append(dictionary, to: &text)
    case .array(let values):
      text += "["
      for (index, value) in values.enumerated() {
        if index > 0 { text += "," }
        append(value, to: &text)
      }
      text += "]"
    }
  }

  /// Escapes what JSON must not have, and what could control a terminal that shows the line.
  private func append(_ string: String, to text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case _ where scalar.isUnprintable: text += Self.escape(scalar)
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    String(scalar).utf16.map { unit in
      let digits = String(unit, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }.joined()
  }
}
