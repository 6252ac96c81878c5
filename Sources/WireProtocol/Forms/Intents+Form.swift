import PodfluxCore

/// What clients want of the filters over a subject (the article Protocol).
extension FilterIntent {
  func exchanged<Coder: PayloadCoder>(
    over subject: inout FilterSubject, with coder: inout Coder
  ) throws(Coder.Fault) -> Self {
    switch self {
    case .toggle(var filter):
      coder.type("filters/toggle", "Switches a filter on or off.")
      try coder.required("filter", &filter, .filter)
      try coder.subject(&subject)
      return .toggle(filter)
    case .selectGroup(var group):
      coder.type("filters/selectGroup", "Opens a group of filters.")
      try coder.required("group", &group, .group)
      try coder.subject(&subject)
      return .selectGroup(group)
    case .setText(var text):
      coder.type("filters/setText", "Shows what has the words of a text in its title or podcast.")
      try coder.subject(&subject)
      try coder.required("text", &text, .searchText)
      return .setText(text)
    case .clear:
      coder.type("filters/clear", "Switches all filters off.")
      try coder.subject(&subject)
      return self
    case .save(var name):
      coder.type("filters/save", "Saves the active filters under a name.")
      try coder.set(&name, over: &subject)
      return .save(name)
    case .apply(var name):
      coder.type("filters/apply", "Activates saved filters.")
      try coder.set(&name, over: &subject)
      return .apply(name)
    case .delete(var name):
      coder.type("filters/delete", "Deletes saved filters.")
      try coder.set(&name, over: &subject)
      return .delete(name)
    }
  }
}

extension PayloadCoder {
  /// What the filters narrow.
  fileprivate mutating func subject(_ subject: inout FilterSubject) throws(Fault) {
    try optional("over", &subject, .choice, omitting: .downloads)
  }

  /// The name of saved filters.
  fileprivate mutating func set(_ name: inout String, over subject: inout FilterSubject) throws(Fault) {
    try required("name", &name, .setName)
    try self.subject(&subject)
  }
}

extension CleanupRequest {
  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    let standard = CleanupRequest()
    try coder.optional("deep", &isDeep, .boolean, standard: standard.isDeep)
    try coder.optional("missing", &missing, .choice, standard: standard.missing)
    try coder.optional("mode", &mode, .choice, standard: standard.mode)
    try coder.optional("orphans", &orphans, .choice)
  }
}

extension RenameRequest {
  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    var all: Bool? = feed == nil ? true : nil
    try coder.require(.one(of: ["feed", "all"], choosing: "files"))
    try coder.optional("all", &all, .onlyTrue)
    try coder.optional("feed", &feed, .feedID)
    try coder.optional("mode", &mode, .choice, standard: .apply)
  }
}

extension AdoptRequest {
  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    var all: Bool? = feed == nil ? true : nil
    try coder.require(.one(of: ["feed", "all"], choosing: "episodes"))
    try coder.optional("all", &all, .onlyTrue)
    try coder.optional("feed", &feed, .feedID)
    try coder.optional("folder", &folder, .folder)
    try coder.optional("mode", &mode, .choice, standard: .apply)
  }
}

/// A path: nothing is known of what is left out.
extension NetworkPath: FormedPayload {
  static let template = NetworkPath(status: .online)
  static let keys = templateKeys

  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    try coder.optional("constrained", &isConstrained, .boolean, standard: false)
    try coder.optional("device", &device, .deviceName)
    try coder.optional("interface", &interface, .choice, standard: .other)
    try coder.optional("metered", &isMetered, .boolean, standard: false)
    try coder.required("status", &status, .choice)
  }
}
