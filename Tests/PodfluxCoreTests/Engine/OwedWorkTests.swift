import Testing

@testable import PodfluxCore

@Suite("Owed work")
struct OwedWorkTests {
  private struct Piece: OwedPiece, Equatable {
    var key: Int64
  }

  private var work = OwedWork<Piece>(limit: 3)

  /// A table that returns running pieces again.
  private func table(_ keys: ClosedRange<Int64>) -> (Int) -> [Piece] {
    { keys.prefix($0).map(Piece.init) }
  }

  @Test("Nothing is read before a piece is added, or without room")
  mutating func readsNothing() {
    let early = work.take { _ in [Piece(key: 1)] }
    #expect(early.isEmpty)
    work.oweMore()
    let first = work.take(table(1...9))
    #expect(first.map(\.key) == [1, 2, 3])
    var reads = 0
    let taken = work.take { _ in
      reads += 1
      return []
    }
    #expect(taken.isEmpty && reads == 0)
    #expect(work.mayOweMore && work.room == 0)
  }

  @Test("A freed slot gets the next piece; running ones are not issued twice")
  mutating func refills() {
    work.oweMore()
    _ = work.take(table(1...5))
    let ended = [work.end(2), work.end(2)]
    #expect(ended == [Piece(key: 2), nil])
    let next = work.take { [1, 3, 4].prefix($0).map(Piece.init) }
    #expect(next.map(\.key) == [4])
    #expect(work.underWay.keys.sorted() == [1, 3, 4])
  }

  @Test("After the table's end nothing is owed until a piece is added")
  mutating func ends() {
    work.oweMore()
    let taken = work.take(table(1...2))
    #expect(taken.count == 2)
    #expect(!work.mayOweMore && !work.isDone)
    (_, _) = (work.end(1), work.end(2))
    #expect(work.isDone)
    work.oweMore()
    #expect(!work.isDone)
    let none = work.take { _ in [] }
    #expect(none.isEmpty)
    #expect(work.isDone)
  }

  @Test("Pieces without room stay owed, even after a read beyond it")
  mutating func noRoom() {
    work.oweMore()
    let taken = work.take { _ in (1...7).map(Piece.init) }
    #expect(taken.map(\.key) == [1, 2, 3])
    #expect(work.mayOweMore)
  }
}
