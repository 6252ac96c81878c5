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

  @Test("come one by one, and the end follows the last one, once")
  func inOrder() {
    var pages = SurveyPages()
    pages.begin(7)
    let page1 = pages.next(of: 7, atMost: 2)
    #expect(page1 == nil, "the survey is under way")
    pages.end(7, with: Self.steps, Self.ending)
    let page2 = pages.next(of: 7, atMost: 2)
    #expect(page2 == .found(Array(Self.steps[0..<2])))
    let page3 = pages.next(of: 7, atMost: 2)
    #expect(page3 == .found(Array(Self.steps[2..<4])))
    let page4 = pages.next(of: 7, atMost: 2)
    #expect(page4 == .found(Array(Self.steps[4...])))
    let page5 = pages.next(of: 7, atMost: 2)
    #expect(page5 == Self.ending)
    let page6 = pages.next(of: 7, atMost: 2)
    #expect(page6 == nil)
  }

  @Test("of another run change nothing, requested, ended or cancelled")
  func anotherRun() {
    var pages = SurveyPages()
    pages.begin(7)
    pages.end(6, with: Self.steps, Self.ending)
    let page7 = pages.next(of: 7)
    #expect(page7 == nil)
    let isCancelled = pages.cancel(6)
    #expect(!isCancelled)
    pages.end(7, with: [], Self.ending)
    let page8 = pages.next(of: 6)
    #expect(page8 == nil)
    let page9 = pages.next(of: 7)
    #expect(page9 == Self.ending)
  }

  @Test("are dropped with a cancelled run, and at the start of another")
  func dropped() {
    var pages = SurveyPages()
    pages.begin(7)
    pages.end(7, with: Self.steps, Self.ending)
    let isCancelled = pages.cancel(7)
    #expect(isCancelled)
    let page10 = pages.next(of: 7)
    #expect(page10 == nil)
    pages.begin(8)
    pages.end(8, with: Self.steps, Self.ending)
    pages.begin(9)
    let (former, present) = (pages.next(of: 8), pages.next(of: 9))
    #expect(former == nil && present == nil)
  }
}
