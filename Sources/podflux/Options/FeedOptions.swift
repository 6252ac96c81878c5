import ArgumentParser
import PodfluxClient
import PodfluxCore
import PodfluxPeople
import WireProtocol

/// What a subscription says of its feed, beside its rules and its login.
struct FeedOptions: ParsableArguments {
  @Option(help: "A title instead of the feed's own.")
  var title: String?

  @Option(help: "The group to put it in; parts of nested groups are separated by /.")
  var group: String?

  @Option(help: "A header such as 'Name: value' for the feed's own origin; can be repeated.")
  var header: [HeaderOption] = []

  @Option(help: "A template for the names of its files instead of the library's, such as {podcast}/[{date} ]{title}.")
  var name: String?

  @Option(
    help: """
      The folder of its files, in the place of the first one in the template for their names: the feed has a template of its own \
      then, which --name '' takes away.
      """)
  var folder: String?

  @Option(help: "What its requests call themselves.")
  var userAgent: String?

  func validate() throws {
    if folder?.isEmpty == true { throw ValidationError("--folder takes a name") }
    var option = "--name"
    do throws(NameTemplateFault) {
      let template = try NameTemplate(validating: name ?? "")
      option = "--folder"
      if let folder { _ = try template.placed(in: folder) }
    } catch {
      throw ValidationError("\(option): \(error)")
    }
  }

  /// The members of a payload that concern its requests: a preview takes no others.
  var ofRequests: [(key: String, value: JSONValue)] {
    members(["headers": header.member, "userAgent": userAgent?.json])
  }

  /// Whether something is said that concerns the library.
  var isOfLibrary: Bool { name != nil || group != nil || title != nil || folder != nil }

  /// The members that concern the library.
  ///
  /// - Parameter source: Where the feed is, or is to be.
  func ofLibrary(_ feed: FeedItem? = nil, in source: some SnapshotSource) throws -> [(key: String, value: JSONValue)] {
    members(["filenameTemplate": try template(feed, in: source)?.json, "group": group?.json, "title": title?.json])
  }

  /// The template for the names of its files; nil if none is given.
  private func template(_ feed: FeedItem?, in source: some SnapshotSource) throws -> String? {
    guard let folder else { return name }
    let own = try name ?? feed?.json.string("filenameTemplate")
    let template = try own ?? source.settings().string("filenameTemplate") ?? ""
    do throws(NameTemplateFault) {
      return try NameTemplate(validating: template).placed(in: folder).text
    } catch {
      throw EngineRefusal(code: Refusal.Code.invalidValue.rawValue, message: "--folder: \(error)")
    }
  }
}
