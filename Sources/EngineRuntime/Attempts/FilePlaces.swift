import PodfluxCore

/// The places of a library's files, as far as names for new ones need them.
package protocol FilePlaces {
  /// Whether the disk takes names that differ in case only for one: there they are kept apart in any case.
  var ignoresCase: Bool { get }
  /// The path with its folders spelled as those that are there, where some disks would take them for the same.
  func spelled(_ path: LibraryPath) throws(DownloadError) -> LibraryPath
  /// Whether the path, or one that some disks would take for it, is taken.
  func isTaken(_ path: LibraryPath) throws(DownloadError) -> Bool
  /// Whether something is at the path.
  func exists(_ path: LibraryPath) throws(DownloadError) -> Bool
  /// Reserves a path that was found free; false if it was reserved for another file meanwhile.
  func promise(_ path: LibraryPath) -> Bool
}

extension FilePlaces {
  package var ignoresCase: Bool { false }

  /// A place for a complete file: the lowest number that is free, as long as the numbers before it are taken without
  /// gaps. Nothing is taken by this: whether the place is still free is seen when the file is published. Cost: looks at
  /// places, logarithmic in the files of one name.
  ///
  /// - Parameters:
  ///   - wanted: The place that the client has named; nil leaves it to the candidates.
  ///   - number: From 1; a higher one after the places before have turned out to be taken.
  ///   - isPortable: Whether names that differ in case only are kept apart.
  ///   - candidate: Makes the name of a number.
  /// - Returns: nil if no further place can be tried, since the client's is taken.
  package func place(
    for wanted: LibraryPath?, number: Int, portably isPortable: Bool,
    candidate: (Int) throws(DownloadError) -> LibraryPath
  ) throws(DownloadError) -> LibraryPath? {
    if let wanted { return try place(wanted, number: number, portably: isPortable) }
    let isSpelled = isPortable || ignoresCase
    func freePlace(_ number: Int) throws(DownloadError) -> LibraryPath? {
      let path = try isSpelled ? spelled(candidate(number)) : candidate(number)
      return try (isSpelled ? isTaken(path) : exists(path)) ? nil : path
    }
    var number = number
    while true {
      let (path, found) = try Self.lowest(from: number, freePlace)
      if promise(path) { return path }
      number = found + 1
    }
  }

  /// The lowest free place from a number on, as long as the numbers before it are taken without gaps, and its number.
  private static func lowest(
    from number: Int, _ freePlace: (Int) throws(DownloadError) -> LibraryPath?
  ) throws(DownloadError) -> (path: LibraryPath, number: Int) {
    for number in number..<number + neighbours {
      if let path = try freePlace(number) { return (path, number) }
    }
    // Many files have the name: the distance to a free number is doubled until one is found, and halved from there.
    var (taken, distance) = (number + neighbours - 1, 1)
    var path = try freePlace(taken + distance)
    while path == nil {
      (taken, distance) = (taken + distance, distance * 2)
      path = try freePlace(taken + distance)
    }
    var free = taken + distance
    while free - taken > 1 {
      let middle = taken + (free - taken) / 2
      if let lower = try freePlace(middle) { (free, path) = (middle, lower) } else { taken = middle }
    }
    guard let path else { preconditionFailure("the search ends at a free place") }
    return (path, free)
  }

  /// How many numbers are tried one after the other.
  private static var neighbours: Int { 16 }

  /// The place that the client has named. Where a folder has come meanwhile that a disk which does not tell case apart
  /// would take for the wanted one, the file is tried once more in that.
  private func place(
    _ wanted: LibraryPath, number: Int, portably isPortable: Bool
  ) throws(DownloadError) -> LibraryPath? {
    guard isPortable || ignoresCase else { return number == 1 ? wanted : nil }
    let wanted = isPortable ? wanted.portable : wanted
    let place = try spelled(wanted)
    if number == 1 { return place }
    guard number == 2, place != wanted else { return nil }
    return try isTaken(place) ? nil : place
  }
}
