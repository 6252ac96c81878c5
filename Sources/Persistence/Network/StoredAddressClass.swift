import PodfluxCore

extension AddressClass {
  /// The value in rows.
  var rowCode: Int {
    switch self {
    case .unknown: 0
    case .public: 1
    case .private: 2
    }
  }

  init?(rowCode: Int) {
    switch rowCode {
    case 0: self = .unknown
    case 1: self = .public
    case 2: self = .private
    default: return nil
    }
  }
}

extension AddressNamer {
  /// The value in rows: 0 for a person, and one more than the class of a feed's address.
  var rowCode: Int {
    switch self {
    case .person: 0
    case .feed(let place): place.rowCode + 1
    }
  }

  init?(rowCode: Int) {
    // A damaged row may have any number.
    guard rowCode > 0 else {
      guard rowCode == 0 else { return nil }
      self = .person
      return
    }
    guard let place = AddressClass(rowCode: rowCode - 1) else { return nil }
    self = .feed(place)
  }
}
