import PodfluxCore

extension String {
  /// A URL as people see it: without user, password and tokens. Of what is no address all goes that could be one of
  /// them.
  package var withoutCredentials: String { (try? WebAddress(self))?.redacted ?? withoutSecretParts }

  private var withoutSecretParts: String {
    var text = self[...]
    if let query = text.firstIndex(where: { $0 == "?" || $0 == "#" }) { text = text[..<query] }
    guard let end = text.lastIndex(of: "@") else { return text.count == count ? self : text + "?…" }
    let begin = text.firstRange(of: "//").map(\.upperBound).flatMap { $0 <= end ? $0 : nil } ?? text.startIndex
    return text[..<begin] + "…" + text[end...] + (text.count == count ? "" : "?…")
  }
}
