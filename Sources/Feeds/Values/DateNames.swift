/// The names of months and zones in dates, in lower case.
enum DateNames {
  /// The month with a name or its beginning, in English, German, French, Spanish, Italian, Portuguese or Dutch.
  static func month(_ word: ArraySlice<UInt8>) -> Int64? {
    var text = String(decoding: word, as: UTF8.self)
    if text.hasSuffix(".") { text.removeLast() }
    guard text.utf8.count >= 3 else { return nil }
    if let exact = months[text] { return exact }
    // `september` and `sept`: the whole name, or any beginning of it.
    return english.firstIndex { $0.hasPrefix(text) }.map { Int64($0 + 1) }
  }

  private static let english = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
  ]

  private static let months: [String: Int64] = {
    let names: [String] = [
      "januar jän jänner janv janvier ene enero gen gennaio janeiro januari",
      "februar febr févr fév février febrero febbraio fev fevereiro februari",
      "märz mär mrz mars marzo março maart mrt",
      "avr avril abr abril aprile", "mai mayo mag maggio maio mei", "juni juin junio giu giugno jun junho",
      "juli juil juillet julio lug luglio julho", "août aou aout ago agosto augustus",
      "septembre septiembre set settembre setembro", "okt oktober octobre octubre ott ottobre out outubro",
      "novembre noviembre novembro", "dez dezember déc décembre dic diciembre dicembre dezembro",
    ]
    var months: [String: Int64] = [:]
    for (index, list) in names.enumerated() {
      for name in list.split(separator: " ") { months[String(name)] = Int64(index + 1) }
    }
    return months
  }()

  /// The minutes east of Greenwich. Names that several zones share mean the one with the most podcasts.
  static let zoneMinutes: [String: Int64] = [
    "ut": 0, "utc": 0, "gmt": 0, "z": 0, "wet": 0, "west": 60, "bst": 60, "ist": 330, "cet": 60, "cest": 120, "met": 60,
    "mest": 120, "mez": 60, "mesz": 120, "eet": 120, "eest": 180, "msk": 180, "sast": 120, "jst": 540, "kst": 540,
    "hkt": 480, "sgt": 480, "pht": 480, "awst": 480, "acst": 570, "acdt": 630, "aest": 600, "aedt": 660, "nzst": 720,
    "nzdt": 780, "est": -300, "edt": -240, "cst": -360, "cdt": -300, "mst": -420, "mdt": -360, "pst": -480,
    "pdt": -420, "akst": -540, "akdt": -480, "hst": -600, "ast": -240, "adt": -180, "nst": -210, "ndt": -150,
    "brt": -180, "brst": -120, "art": -180, "et": -300, "pt": -480,
  ]
}
