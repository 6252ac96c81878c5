import Foundation
import Synchronization
import TestSupport

/// A service with NetworkManager's name on a bus and a scripted "metered" property.
final class FakeNetworkManager: @unchecked Sendable {
  // `@unchecked`: only the thread uses the bus; the rest is locked or immutable.

  /// How it answers requests.
  enum Manner: Sendable {
    case answer(UInt32)
    /// With a text instead of a number.
    case answerWithText
    case silence
  }

  private struct State {
    var manner: Manner
    var mustTell = false
    var isStopped = false
    var questions = 0
  }

  private typealias Handler = @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, OpaquePointer?) -> Int32

  private let state: Mutex<State>
  private let library = dlopen("libsystemd.so.0", RTLD_NOW)
  private let bus: OpaquePointer
  private let ended = DispatchSemaphore(value: 0)
  private static let object = "/org/freedesktop/NetworkManager"

  /// The number of requests.
  var questions: Int { state.withLock { $0.questions } }

  init(on address: String, _ manner: Manner) throws {
    state = Mutex(State(manner: manner))
    guard let library else { throw PodfluxProcess.Failure("no libsystemd") }
    func load<Function>(_ name: String, _: Function.Type) throws -> Function {
      guard let symbol = dlsym(library, name) else { throw PodfluxProcess.Failure("no \(name)") }
      return unsafeBitCast(symbol, to: Function.self)
    }
    func check(_ what: String, _ result: Int32) throws {
      if result < 0 { throw PodfluxProcess.Failure("\(what): \(String(cString: strerror(-result)))") }
    }
    var made: OpaquePointer?
    let make = try load("sd_bus_new", (@convention(c) (UnsafeMutablePointer<OpaquePointer?>) -> Int32).self)
    try check("sd_bus_new", make(&made))
    guard let bus = made else { throw PodfluxProcess.Failure("no bus") }
    self.bus = bus
    typealias WithText = @convention(c) (OpaquePointer, UnsafePointer<CChar>) -> Int32
    typealias WithNumber = @convention(c) (OpaquePointer, Int32) -> Int32
    try check("sd_bus_set_address", load("sd_bus_set_address", WithText.self)(bus, address))
    try check("sd_bus_set_bus_client", load("sd_bus_set_bus_client", WithNumber.self)(bus, 1))
    try check("sd_bus_start", load("sd_bus_start", (@convention(c) (OpaquePointer) -> Int32).self)(bus))
    let add = try load(
      "sd_bus_add_object",
      (@convention(c) (OpaquePointer, OpaquePointer?, UnsafePointer<CChar>, Handler, UnsafeMutableRawPointer) -> Int32)
        .self)
    let handler: Handler = { message, userData, _ in
      guard let message, let userData else { return 0 }
      return Unmanaged<FakeNetworkManager>.fromOpaque(userData).takeUnretainedValue().answer(message)
    }
    try check("sd_bus_add_object", add(bus, nil, Self.object, handler, Unmanaged.passUnretained(self).toOpaque()))
    let request = try load(
      "sd_bus_request_name", (@convention(c) (OpaquePointer, UnsafePointer<CChar>, UInt64) -> Int32).self)
    try check("sd_bus_request_name", request(bus, "org.freedesktop.NetworkManager", 0))
    Thread.detachNewThread { [self] in serve() }
  }

  /// Changes its manner, and signals a change.
  func change(_ manner: Manner) {
    state.withLock { state in
      state.manner = manner
      state.mustTell = true
    }
  }

  func stop() {
    state.withLock { $0.isStopped = true }
    ended.wait()
  }

  // MARK: The thread

  private func function<Function>(_ name: String, _: Function.Type) -> Function {
    unsafeBitCast(dlsym(library, name), to: Function.self)
  }

  private func serve() {
    let process = function(
      "sd_bus_process", (@convention(c) (OpaquePointer, UnsafeMutablePointer<OpaquePointer?>?) -> Int32).self)
    let wait = function("sd_bus_wait", (@convention(c) (OpaquePointer, UInt64) -> Int32).self)
    while true {
      let (isStopped, mustTell) = state.withLock { state in
        defer { state.mustTell = false }
        return (state.isStopped, state.mustTell)
      }
      if isStopped { break }
      if mustTell { tell() }
      if process(bus, nil) == 0 { _ = wait(bus, 10_000) }
    }
    _ = function("sd_bus_flush_close_unref", (@convention(c) (OpaquePointer) -> OpaquePointer?).self)(bus)
    ended.signal()
  }

  private typealias Open = @convention(c) (OpaquePointer, CChar, UnsafePointer<CChar>) -> Int32
  private typealias Close = @convention(c) (OpaquePointer) -> Int32
  private typealias Append = @convention(c) (OpaquePointer, CChar, UnsafeRawPointer) -> Int32
  private typealias Send = @convention(c) (OpaquePointer, OpaquePointer, UnsafeMutablePointer<UInt64>?) -> Int32

  private func answer(_ call: OpaquePointer) -> Int32 {
    let manner = state.withLock { state in
      state.questions += 1
      return state.manner
    }
    if case .silence = manner { return 1 }
    var reply: OpaquePointer?
    let make = function(
      "sd_bus_message_new_method_return",
      (@convention(c) (OpaquePointer, UnsafeMutablePointer<OpaquePointer?>) -> Int32).self)
    guard make(call, &reply) >= 0, let reply else { return 0 }
    append(manner, to: reply)
    return function("sd_bus_send", Send.self)(bus, reply, nil) < 0 ? 0 : 1
  }

  private func append(_ manner: Manner, to message: OpaquePointer) {
    let (open, close) = (
      function("sd_bus_message_open_container", Open.self), function("sd_bus_message_close_container", Close.self)
    )
    let append = function("sd_bus_message_append_basic", Append.self)
    if case .answer(var value) = manner {
      _ = open(message, CChar(UInt8(ascii: "v")), "u")
      _ = append(message, CChar(UInt8(ascii: "u")), &value)
    } else {
      _ = open(message, CChar(UInt8(ascii: "v")), "s")
      _ = append(message, CChar(UInt8(ascii: "s")), "yes")
    }
    _ = close(message)
  }

  /// PropertiesChanged, with empty lists: clients request the value.
  private func tell() {
    var signal: OpaquePointer?
    typealias Make =
      @convention(c) (
        OpaquePointer, UnsafeMutablePointer<OpaquePointer?>, UnsafePointer<CChar>, UnsafePointer<CChar>,
        UnsafePointer<CChar>
      ) -> Int32
    let make = function("sd_bus_message_new_signal", Make.self)
    guard make(bus, &signal, Self.object, "org.freedesktop.DBus.Properties", "PropertiesChanged") >= 0, let signal
    else { return }
    let (open, close) = (
      function("sd_bus_message_open_container", Open.self), function("sd_bus_message_close_container", Close.self)
    )
    let append = function("sd_bus_message_append_basic", Append.self)
    _ = append(signal, CChar(UInt8(ascii: "s")), "org.freedesktop.NetworkManager")
    for content in ["{sv}", "s"] {
      _ = open(signal, CChar(UInt8(ascii: "a")), content)
      _ = close(signal)
    }
    _ = function("sd_bus_send", Send.self)(bus, signal, nil)
  }
}
