import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@Suite(
  "In a network of its own", .systemTest, .serialized,
  .enabled(if: NetworkNamespace.unavailability == nil, "network namespaces cannot be made here"))
struct NetworkNamespaceTests {
  @Test("An engine downloads over the preferred link, and not one byte goes over the other one")
  func oneLink() throws {
    let network = try NetworkNamespace()
    let scene = try Scene(network: network)
    let body = scene.serve("/a.mp3", length: 1 << 20).body
    let engine = try scene.startEager()
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/a.mp3"), "id": "a"])
    let item = try #require(try engine.waitForAllCompleted().first)
    #expect(scene.hash(of: item.path) == body.hash)
    #expect(try network.counters(of: .wifi).received > 1 << 20)
    #expect(try network.counters(of: .cellular) == NetworkNamespace.Counters())
  }
}
