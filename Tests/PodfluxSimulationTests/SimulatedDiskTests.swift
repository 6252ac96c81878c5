import PodfluxCore
import Testing

@testable import PodfluxSimulation

/// The disk as people and downloads change it, where a seed once took the model's mistake for the product's.
@Suite("The simulated disk")
struct SimulatedDiskTests {
  private func file(at path: String, on disk: SimulatedDisk) throws -> PublishedFile {
    let file = try #require(disk.published[path]?.file)
    return PublishedFile(path: try LibraryPath(validating: path), length: Int64(file.length), inode: file.inode)
  }

  @Test("A file that a download adopts while a person has it elsewhere is the download's when it is back")
  func takenAway() throws {
    let disk = SimulatedDisk()
    disk.putForeignFile([1, 2, 3], at: "a.mp3")
    let file = try file(at: "a.mp3", on: disk)
    disk.takeAway("a.mp3")
    disk.own(file)
    disk.bringBack(0, to: nil)
    #expect(disk.published["a.mp3"]?.isForeign == false)
  }

  @Test("A file that a download follows while its disk is gone is the download's when that is mounted again")
  func unmounted() throws {
    let disk = SimulatedDisk()
    disk.putForeignFile([1, 2, 3], at: "a.mp3")
    let file = try file(at: "a.mp3", on: disk)
    disk.unmount(["a.mp3"], isWhole: true)
    disk.own(file)
    disk.mount()
    #expect(disk.published["a.mp3"]?.isForeign == false)
  }

  @Test("Two names of one file cannot be exchanged; those of two files can")
  func swap() throws {
    let disk = SimulatedDisk()
    disk.putForeignFile([1, 2, 3], at: "a.mp3")
    disk.own(try file(at: "a.mp3", on: disk))
    disk.addHardLink(of: "a.mp3", at: "b.mp3") { _ in false }
    disk.swap("a.mp3", "b.mp3")
    #expect(disk.published["a.mp3"]?.isForeign == false && disk.published["b.mp3"]?.isForeign == true)
    disk.putForeignFile([4], at: "c.mp3")
    disk.swap("a.mp3", "c.mp3")
    #expect(disk.published["a.mp3"]?.file.length == 1 && disk.published["c.mp3"]?.isForeign == false)
  }

  /// Seed 204844: a file that another download had published in the place of a lost one was said to be the lost one.
  @Test("A row that knows no time of its file knows it by its path, another one by the time")
  func described() throws {
    let disk = SimulatedDisk()
    disk.putForeignFile([1, 2, 3], at: "a.mp3")
    let present = try #require(disk.published["a.mp3"]?.file)
    var row = try file(at: "a.mp3", on: disk)
    let elsewhere = try LibraryPath(validating: "b.mp3")
    #expect(row.describes(present, at: row.path) && !row.describes(present, at: elsewhere))
    row.modifiedNanoseconds = present.modified
    #expect(row.describes(present, at: row.path) && row.describes(present, at: elsewhere))
    row.modifiedNanoseconds = present.modified + 1
    #expect(!row.describes(present, at: row.path))
  }
}
