import Texts

extension MultiByteDecoder.Charset {
  /// The charset with a label in lower case, as the Encoding Standard has them; nil for any other.
  init?(label: String) {
    guard let charset = Self.byLabel[label] else { return nil }
    self = charset
  }

  private static let byLabel: [String: Self] = {
    let labels: [(Self, String)] = [
      (.gb18030, "gb18030 chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk"),
      (.big5, "big5 big5-hkscs cn-big5 csbig5 x-x-big5"),
      (.shiftJIS, "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis"),
      (.eucJP, "cseucpkdfmtjapanese euc-jp x-euc-jp"), (.iso2022JP, "csiso2022jp iso-2022-jp"),
      (
        .eucKR,
        "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949"
      ),
    ]
    return Dictionary(
      uniqueKeysWithValues: labels.flatMap { charset, names in
        names.split(separator: " ").map { (String($0), charset) }
      })
  }()
}
