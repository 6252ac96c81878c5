/// Values by the names of one table. As these are numbers from 0 on, nothing is hashed.
struct NameMap<Value: Sendable>: Sendable {
  private var values: [Value] = []
  /// The place of its value in `values` for each number, as far as the largest that has one.
  private var places: [Int32] = []
  private static var none: Int32 { -1 }

  /// The value of a name, nil if it has none.
  subscript(name: NameTable.Name) -> Value? {
    let number = Int(name.number)
    guard number < places.count, places[number] != Self.none else { return nil }
    return values[Int(places[number])]
  }

  /// Gives a value to a name that has none.
  mutating func insert(_ value: Value, for name: NameTable.Name) {
    while places.count <= Int(name.number) { places.append(Self.none) }
    places[Int(name.number)] = Int32(values.count)
    values.append(value)
  }
}
