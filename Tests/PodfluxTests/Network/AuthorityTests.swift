import Foundation
import ScriptedOrigin
import Testing
import TestScheduling
import TestSupport

@Suite("Certificate authorities", .systemTest)
struct AuthorityTests {
  private func bundlePath(_ scene: Scene) -> String { scene.library + "/.podflux/authorities.pem" }

  @Test(
    "A --ca-file that cannot be read or holds no certificate is wrong usage, and nothing is made",
    arguments: [nil, "", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"])
  func unusable(contents: String?) throws {
    let scene = try Scene()
    let path = scene.outside + "/authorities.pem"
    if let contents { try Data(contents.utf8).write(to: URL(fileURLWithPath: path)) }
    let result = try PodfluxCommand.run(["run", "--library", scene.library, "--ca-file", path])
    #expect(result.status == 64)
    #expect(result.output.isEmpty)
    #expect(result.errors.contains(path) && result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: scene.library))
  }

  @Test("The system's authorities and those of --ca-file are in a private file, until an engine starts without it")
  func bundle() throws {
    let scene = try Scene()
    let added = TLSMaterial.fixture.authorityPath
    let engine = try scene.start(["--ca-file", added])
    let bundle = try String(contentsOfFile: bundlePath(scene), encoding: .utf8)
    let own = try String(contentsOfFile: added, encoding: .utf8)
    #expect(bundle.hasSuffix(own) && bundle.ranges(of: "BEGIN CERTIFICATE").count > 50)
    let attributes = try FileManager.default.attributesOfItem(atPath: bundlePath(scene))
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    engine.closeInput()
    #expect(try engine.waitForEnd().status == 0)

    let next = try scene.start()
    #expect(!FileManager.default.fileExists(atPath: bundlePath(scene)))
    next.closeInput()
    #expect(try next.waitForEnd().status == 0)
  }
}
