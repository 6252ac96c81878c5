import PodfluxCore

/// Why nothing can be compared.
enum SurveyFailure: Error, CustomStringConvertible {
  /// The library's disk is not mounted.
  case notInPlace
  /// The files of all so many downloads that were completed before the library was in doubt are gone.
  case everythingGone(Int)

  var description: String {
    switch self {
    case .notInPlace:
      """
      the library's folder is not the one that was opened any more, or its marker .podflux/library is missing: its disk \
      is perhaps not mounted; mount it and start the engine again, or write the line "podflux library 1" into the marker
      """
    case .everythingGone(let count):
      """
      the files of all \(count) earlier downloads are gone at once, so that their disk is perhaps not mounted; mount it, or \
      remove the downloads with downloads/remove
      """
    }
  }

  /// What a run says that has passed over so many differences.
  static func tooMany(_ count: Int) -> String {
    "\(count) more differences were passed over; run it again for them"
  }
}
