/// A number of things: "1 feed", "9 feeds".
package func count(_ number: some BinaryInteger, _ noun: String) -> String {
  "\(number) \(noun)" + (number == 1 ? "" : "s")
}
