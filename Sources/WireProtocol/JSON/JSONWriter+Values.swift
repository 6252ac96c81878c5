import Flux
import Foundation

/// Values without their keys, and those that somebody else has written.
extension JSONWriter {
  /// A member under a key that is known at run time only, and holds no quote and no backslash.
  mutating func member(named key: String, _ value: String) {
    self.key(named: key)
    element(value)
  }

  /// A member whose value is JSON already.
  mutating func member(_ key: StaticString, json: Data) {
    self.key(key)
    raw(json)
  }
}
