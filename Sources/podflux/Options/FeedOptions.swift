import ArgumentParser
import PodfluxCore
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

  @Option(help: "What its requests call themselves.")
  var userAgent: String?

  func validate() throws {
    guard let name, !name.isEmpty else { return }
    do throws(NameTemplateFault) {
      _ = try NameTemplate(validating: name)
    } catch {
      throw ValidationError("--name: \(error)")
    }
  }

  /// The members of a payload that concern its requests: a preview takes no others.
  var ofRequests: [(key: String, value: JSONValue)] {
    members(["headers": header.member, "userAgent": userAgent?.json])
  }

  /// The members that concern the library.
  var ofLibrary: [(key: String, value: JSONValue)] {
    members(["filenameTemplate": name?.json, "group": group?.json, "title": title?.json])
  }
}
