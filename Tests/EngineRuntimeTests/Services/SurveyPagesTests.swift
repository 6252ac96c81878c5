import EngineRuntime
import PodfluxCore
import Testing

@Suite("The pages of a survey's steps")
struct SurveyPagesTests {
  private static let steps = (0..<5).map { number in
    CleanupStep(
      finding: .emptyFolder(EntryPath(bytes: Array("folder \(number)".utf8))), decision: .delete,
      because: "it has become empty")
  }
  private static let ending = CleanupNews.complete(.init(), remark: nil)

  @Test("come one by one, and the ending comes behind the last, once")
  func inOrder() {
    var pages = SurveyPages()
    pages.begin(7)
    #expect(pages.next(of: 7, atMost: 2) == nil, "the survey is under way")
    pages.end(7, with: Self.steps, Self.ending)
    #expect(pages.next(of: 7, atMost: 2) == .found(Array(Self.steps[0..<2])))
    #expect(pages.next(of: 7, atMost: 2) == .found(Array(Self.steps[2..<4])))
    #expect(pages.next(of: 7, atMost: 2) == .found(Array(Self.steps[4...])))
    #expect(pages.next(of: 7, atMost: 2) == Self.ending)
    #expect(pages.next(of: 7, atMost: 2) == nil)
  }

  @Test("of another run change nothing, be they asked for, ended or cancelled")
  func anotherRun() {
    var pages = SurveyPages()
    pages.begin(7)
    pages.end(6, with: Self.steps, Self.ending)
    #expect(pages.next(of: 7) == nil)
    #expect(!pages.cancel(6))
    pages.end(7, with: [], Self.ending)
    #expect(pages.next(of: 6) == nil)
    #expect(pages.next(of: 7) == Self.ending)
  }

  @Test("are dropped with a run that is cancelled, and with the begin of another")
  func dropped() {
    var pages = SurveyPages()
    pages.begin(7)
    pages.end(7, with: Self.steps, Self.ending)
    #expect(pages.cancel(7))
    #expect(pages.next(of: 7) == nil)
    pages.begin(8)
    pages.end(8, with: Self.steps, Self.ending)
    pages.begin(9)
    #expect(pages.next(of: 8) == nil && pages.next(of: 9) == nil)
  }
}
