import PodfluxCore

/// The traits of an episode in one number.
///
/// | bits | 12–10 | 9–8 | 7–5 | 4–2 | 1 | 0 |
/// |---|---|---|---|---|---|---|
/// | hold | state | media | size | age | played | favorite |
///
/// Databases and migrations contain the codes: their meanings never change. A state's code is that of downloads and 1;
/// 0 means no download.
struct PackedEpisodeTraits: Hashable, Sendable {
  /// The value of the column.
  let code: Int64

  private enum Field {
    static let state = BitField(shift: 10, bits: 3)
    static let media = BitField(shift: 8, bits: 2)
    static let size = BitField(shift: 5, bits: 3)
    static let age = BitField(shift: 2, bits: 3)
    static let played = BitField(shift: 1, bits: 1)
    static let favorite = BitField(shift: 0, bits: 1)
  }

  init(_ traits: EpisodeTraits) {
    code =
      Field.state.place(traits.state.map { $0.rowCode + 1 } ?? 0) | Field.media.place(traits.media.rowCode)
      | Field.size.place(traits.size.rowCode) | Field.age.place(traits.age.rowCode)
      | Field.played.place(traits.isPlayed ? 1 : 0) | Field.favorite.place(traits.isFavorite ? 1 : 0)
  }

  /// Takes the value of the column.
  init(code: Int64) {
    self.code = code
  }

  /// The bits of the column that have the state of the download, and what they are for this state.
  static func state(of kind: DownloadState.Kind) -> (mask: Int64, code: Int64) {
    (Field.state.mask, Field.state.place(kind.rowCode + 1))
  }

  /// Unpacks the traits.
  ///
  /// - Throws: `DamagedRow` for a number that packing never gives.
  func traits() throws -> EpisodeTraits {
    let state = Field.state.read(code)
    guard code >> 13 == 0, let media: MediaKind = Field.media.value(in: code),
      let size: SizeClass = Field.size.value(in: code), let age: AgeClass = Field.age.value(in: code)
    else { throw DamagedRow(column: "episode_facets.class") }
    return EpisodeTraits(
      state: state == 0 ? nil : try Damaged.checked("episode_facets.class", DownloadState.Kind(rowCode: state - 1)),
      media: media, size: size, age: age, isPlayed: Field.played.read(code) == 1,
      isFavorite: Field.favorite.read(code) == 1)
  }
}
