import Flux
import PodfluxCore

/// Values that readers begin with, and replace.
extension DownloadID {
  static let template: DownloadID = {
    guard let id = DownloadID("a") else { preconditionFailure("a letter is an id") }
    return id
  }()
}

extension AttemptID {
  static let template = AttemptID(download: .template, generation: 0)
}

extension WebAddress {
  static let template: WebAddress = {
    guard let address = try? WebAddress("http://localhost/") else { preconditionFailure("this is an address") }
    return address
  }()
}

extension LibraryPath {
  static let template: LibraryPath = {
    guard let path = try? LibraryPath(validating: "a") else { preconditionFailure("a letter is a path") }
    return path
  }()
}

extension ResumeRecord {
  static let template = ResumeRecord(
    url: "", strongETag: nil, rotatesTags: false, lastModified: nil, isDateStrong: false, total: nil, durable: 0,
    tailHash: "", bootID: "", savedAt: Timestamp(milliseconds: 0), digestStates: [])
}

extension FilterID {
  static let template: FilterID = {
    guard let filter = FilterID("state:failed") else { preconditionFailure("this is a filter") }
    return filter
  }()
}
