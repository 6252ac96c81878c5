import Foundation
import GRDB
import PodfluxCore
import Synchronization

/// URLs in conditions: a row is chosen by its URL as items show it, which has no passwords and no known tokens.
enum ShownURLs {
  /// Rows whose column has one of these URLs; never NULL. Cost: a look at each row; where there is one URL, its host
  /// and path are looked for first, and only rows that have them are parsed.
  static func predicate(_ shown: [String], in column: String) throws -> Predicate {
    guard let first = shown.first else { return .never }
    let scope = Predicate("coalesce(shows_url(\(column), ?), 0)", try ConditionSQL.list(shown))
    guard shown.count == 1 else { return scope }
    return .all([Predicate("coalesce(instr(\(column), ?), 0) > 0", place(in: first)), scope])
  }

  /// Host and path: what is left out stands before or behind them.
  private static func place(in url: String) -> String {
    let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
    return String(decoding: url.utf8[start...].prefix { !"?#".utf8.contains($0) }, as: UTF8.self)
  }

  /// `shows_url(url, json)`: whether items show a URL as one of a list.
  static func function() -> DatabaseFunction {
    // Each row passes the same list: it is read once.
    let last = Mutex<(json: String, shown: Set<[UInt8]>)>(("", []))
    return DatabaseFunction("shows_url", argumentCount: 2, pure: true) { values in
      guard let url = String.fromDatabaseValue(values[0]), let json = String.fromDatabaseValue(values[1]) else {
        return nil
      }
      let shown = try last.withLock { last in
        if last.json != json {
          let urls = try JSONDecoder().decode([String].self, from: Data(json.utf8))
          last = (json, Set(urls.map { Array($0.utf8) }))
        }
        return last.shown
      }
      if shown.contains(Array(url.utf8)) { return true }
      // Nothing is left out of any other URL, and most have none of these.
      guard url.utf8.contains(where: "@?#".utf8.contains) else { return false }
      return shown.contains(Array(SecretParts.removed(from: url).utf8))
    }
  }
}
