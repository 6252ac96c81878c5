import Foundation
import Testing
import TestScheduling
import TestSupport

@Suite("The package", .systemTest)
struct PackageTests {
  private static let package = ProcessInfo.processInfo.environment["PODFLUX_DEB"]

  @Test(
    "It installs, runs and goes in a clean Debian",
    .enabled(if: package != nil, "PODFLUX_DEB names no package; bash .packaging/build-deb makes one"))
  func clean() throws {
    let script = Packaging.folder.appendingPathComponent("check-deb").path
    let (status, output) = try Packaging.run(["/bin/bash", script, try #require(Self.package)])
    #expect(status == 0, "\(output)")
    #expect(output.hasSuffix("all checks hold\n"), "\(output)")
  }

  @Test("Its scripts are shell without mistakes")
  func scripts() throws {
    for (shell, names) in [
      ("/bin/bash", ["build-deb", "check-deb"]), ("/bin/sh", ["debian/postinst", "debian/prerm", "debian/postrm"]),
    ] {
      for name in names {
        let path = Packaging.folder.appendingPathComponent(name).path
        #expect(try Packaging.run([shell, "-n", path]) == (0, ""), "\(name)")
      }
    }
  }

  @Test(
    "A binary that needs Swift's libraries gets no package: one was made, with status 0, that ran nowhere",
    .enabled(if: Packaging.program("readelf") != nil, "readelf is not installed"))
  func dynamicBinary() throws {
    let needed = try Packaging.run([Packaging.program("readelf") ?? "", "--dynamic", PodfluxProcess.executablePath])
    try #require(needed.output.contains("[libswiftCore.so]"), "the tests have a binary with Swift's runtime in it")
    let folder = try TemporaryFolder("podflux-deb")
    let script = Packaging.folder.appendingPathComponent("build-deb").path
    let (status, output) = try Packaging.run(
      ["/bin/bash", script, "--binary", PodfluxProcess.executablePath, folder.path],
      environment: ["SOURCE_DATE_EPOCH": "1774620000"])
    #expect(status == 1)
    #expect(output.hasSuffix("was not linked with --static-swift-stdlib\n"), "\(output)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  @Test("Its copyright names each package of Swift that the command links, and no other")
  func copyright() throws {
    let linked = try LinkedPackages.of(target: "podflux")
    #expect(linked.isSuperset(of: ["GRDB.swift", "Yams", "swift-log"]) && !linked.contains("swift-nio"), "\(linked)")
    let path = Packaging.folder.appendingPathComponent("debian/copyright")
    let text = try String(contentsOf: path, encoding: .utf8)
    #expect(linked.filter { !text.contains($0) } == [])
    let named = text.matches(of: /swift-[a-z]+(-[a-z]+)*/).map { String($0.output.0) }
    #expect(Set(named).subtracting(linked) == [])
  }

  @Test(
    "Maintainer scripts do no harm without a service manager, however often they run",
    .enabled(if: access("/run/systemd/system", F_OK) != 0, "this machine has a service manager"))
  func maintainerScripts() throws {
    // A path without programs that make users, where the name service knows the user, and systemctl must not be called.
    let folder = try TemporaryFolder("podflux-scripts")
    for (name, text) in [("getent", "exit 0"), ("systemctl", "echo called >&2; exit 1")] {
      let path = folder.path + "/" + name
      try Data("#!/bin/sh\n\(text)\n".utf8).write(to: URL(fileURLWithPath: path))
      chmod(path, 0o755)
    }
    let calls = [("postinst", "configure"), ("prerm", "remove"), ("postrm", "remove"), ("postrm", "purge")]
    for (name, argument) in calls {
      for _ in 0..<2 {
        let path = Packaging.folder.appendingPathComponent("debian/\(name)").path
        let result = try Packaging.run(["/bin/sh", path, argument], environment: ["PATH": folder.path])
        #expect(result == (0, ""), "\(name)")
      }
    }
  }

  @Test(
    "The completion of each shell is made, and those that are installed load it", arguments: ["bash", "zsh", "fish"])
  func completion(shell: String) throws {
    let result = try PodfluxCommand.run(["--generate-completion-script", shell])
    #expect(result.status == 0 && result.output.contains("snapshot"))
    let folder = try TemporaryFolder("podflux-completion")
    let path = folder.path + "/_podflux"
    try Data(result.output.utf8).write(to: URL(fileURLWithPath: path))
    let program = try #require(shell == "bash" ? "/bin/bash" : Packaging.program(shell) ?? "/bin/true")
    #expect(try Packaging.run([program, "-n", path]) == (0, ""))
    guard shell == "bash" else { return }
    let words = """
      source \(path); COMP_WORDS=(podflux sna); COMP_CWORD=1; COMP_LINE="podflux sna"; COMP_POINT=11
      $(complete -p podflux | sed 's/.* -F \\([^ ]*\\) .*/\\1/') podflux sna podflux; echo "${COMPREPLY[@]}"
      """
    let completed = try Packaging.run([program, "-c", words])
    #expect(completed.status == 0 && completed.output.contains("snapshot"), "\(completed)")
  }

  @Test(
    "Each command has a page of the manual, which man shows without a warning",
    .enabled(if: Packaging.program("python3") != nil, "python3 is not installed"))
  func pages() throws {
    let folder = try TemporaryFolder("podflux-pages")
    let dump = try PodfluxCommand.run(["--experimental-dump-help"])
    let articles = ["CommandLine.md", "Operations.md"].map {
      Packaging.sources.appendingPathComponent("Sources/PodfluxEngine/PodfluxEngine.docc/\($0)").path
    }
    let generator = Packaging.folder.appendingPathComponent("man-pages").path
    let result = try Packaging.run(
      [
        Packaging.program("python3") ?? "", generator, "--version", "1.2.3", "--exit-statuses",
      ] + articles + [folder.path], environment: ["SOURCE_DATE_EPOCH": "1774620000"], input: dump.output)
    #expect(result == (0, ""))
    let pages = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(Set(["podflux.1", "podflux-run.1", "podflux-quarantine-list.1"]).isSubset(of: pages))
    let main = try String(contentsOfFile: folder.path + "/podflux.1", encoding: .utf8)
    #expect(main.hasPrefix(#".TH "PODFLUX" 1 "2026-03-27" "podflux 1.2.3" "Podflux""#))
    // Commands for people end otherwise than those for programs and operators.
    let people = ["podflux", "podflux-get", "podflux-sessions-open", "podflux-watch"]
    for (names, ofSuccess, has77) in [
      (people, "all that was asked for is done", true),
      (["podflux-run", "podflux-attach", "podflux-quarantine-list"], "done; downloads may have failed", false),
    ] {
      for name in names {
        let page = try String(contentsOfFile: folder.path + "/\(name).1", encoding: .utf8)
        #expect(page.contains(".SH EXIT STATUS\n.TP\n0\n\(ofSuccess)") && page.contains(".TP\n75\n"), "\(name)")
        #expect(page.contains(".TP\n77\n") == has77, "\(name)")
      }
    }
    guard let man = Packaging.program("man") else { return }
    for page in pages {
      let path = folder.path + "/" + page
      let shown = try Packaging.run(
        [man, "--warnings", "-l", path], environment: ["MANWIDTH": "80", "LC_ALL": "C.UTF-8"])
      #expect(shown.status == 0 && shown.output.contains("SYNOPSIS"), "\(page)")
      #expect(!shown.output.contains("warning:") && !shown.output.contains("error:"), "\(page): \(shown.output)")
    }
  }
}
