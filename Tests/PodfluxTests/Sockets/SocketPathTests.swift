import Foundation
import Testing
import TestSupport

@testable import podflux

@Suite("Where an engine's socket is")
struct SocketPathTests {
  @Test("A path that was given, else the library's in the session's folder, else the service's")
  func order() throws {
    let given = try SocketPath(given: "a.sock")
    let session = ["XDG_RUNTIME_DIR": "/run/user/none"]
    #expect(try SocketPath.candidates(given: given, library: "/l", environment: session).map(\.path) == ["a.sock"])
    let found = try SocketPath.candidates(given: nil, library: "/srv/podcasts", environment: session).map(\.path)
    #expect(found == ["/run/user/none/podflux/f18dd44e39682229.sock", "/run/podflux/engine.sock"])
    #expect(try SocketPath.standard(library: "/srv/podcasts", environment: session).path == found[0])
    for environment in [[:], ["XDG_RUNTIME_DIR": "relative"]] {
      let system = try SocketPath.candidates(given: nil, library: "/l", environment: environment)
      #expect(system.map(\.path) == ["/run/podflux/engine.sock"])
      #expect(try SocketPath.standard(library: "/l", environment: environment) == system[0])
    }
    #expect(try SocketPath.candidates(given: nil, library: nil, environment: session).map(\.origin) == [.system])
  }

  @Test("Another user's session folder, as su(1) keeps it, is ignored: root made a folder there, and locked them out")
  func foreignFolder() throws {
    let folder = try TemporaryFolder("podflux-session")
    let own = try SocketPath.standard(library: "/l", environment: ["XDG_RUNTIME_DIR": folder.path])
    #expect(own.origin == .library)
    let isRoot = geteuid() == 0
    if isRoot { #expect(chown(folder.path, 70_001, 70_001) == 0) }
    let session = ["XDG_RUNTIME_DIR": isRoot ? folder.path : "/"]
    #expect(try SocketPath.standard(library: "/l", environment: session).origin == .system)
    #expect(try SocketPath.candidates(given: nil, library: "/l", environment: session).map(\.origin) == [.system])
  }

  @Test("A path of 107 bytes is one, of 108 none, nor is an empty one, nor one with a NUL")
  func length() throws {
    let longest = "/" + String(repeating: "ä", count: 53)
    #expect(longest.utf8.count == 107)
    #expect(try SocketPath(given: longest).path == longest)
    for path in [longest + "a", "", "a\0b"] {
      #expect(throws: SocketFailure.self) { try SocketPath(given: path) }
    }
  }
}
