import Foundation

/// The results of a scenario.
struct ScenarioReport: Encodable {
  let name: String
  let abstract: String
  let figures: [Figure]
  /// The machine's load average of the last minute at the scenario's end.
  let loadAfter: Double

  var isMet: Bool { figures.allSatisfy { $0.isMet != false } }

  /// A table for people.
  var text: String {
    let header = ["", "min", "median", "max", "target", ""]
    let rows = figures.map { figure in
      [
        figure.name, figure.minimum.short, "\(figure.median.short) \(figure.unit.rawValue)", figure.maximum.short,
        figure.target?.text ?? "", figure.isMet.map { $0 ? "met" : "MISSED" } ?? "",
      ]
    }
    let table = Table(rows: [header] + rows).text
    return "\n\(name): \(abstract)\n\(table)\nload average \(loadAfter.short)"
  }
}

/// Columns of text; the first one is left-aligned.
private struct Table {
  let rows: [[String]]

  var text: String {
    let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      zip(row, widths).enumerated().map { column, cell in
        let padding = String(repeating: " ", count: cell.1 - cell.0.count)
        return column == 0 ? cell.0 + padding : padding + cell.0
      }.joined(separator: "  ")
    }.joined(separator: "\n")
  }
}

extension Figure.Target {
  fileprivate var text: String {
    switch self {
    case .atLeast(let limit): "≥ \(limit.short)"
    case .atMost(let limit): "≤ \(limit.short)"
    }
  }
}

extension Double {
  /// Three significant digits, and at least all before the point.
  fileprivate var short: String {
    let digits = abs(self) >= 100 ? 0 : abs(self) >= 10 ? 1 : abs(self) >= 1 ? 2 : 3
    return String(format: "%.\(digits)f", self)
  }
}

extension String {
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
