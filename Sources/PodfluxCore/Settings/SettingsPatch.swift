/// A change of settings: what is nil stays as it is.
///
/// A patch has the properties of `Settings`, each optional:
///
/// ```swift
/// var patch = SettingsPatch()
/// patch.maxConcurrent = 8
/// _ = try await podflux.dispatch(.updateSettings(patch))
/// ```
@dynamicMemberLookup
public struct SettingsPatch: Hashable, Sendable {
  /// The values that are set; all others are the defaults.
  private var values = Settings()
  private var names: Set<String> = []
  /// The classes that change; see `Settings.network`.
  public var network: NetworkClasses.Patch?

  /// A patch that changes nothing.
  public init() {}

  /// The new value of a setting; nil if it stays as it is.
  public subscript<Value>(dynamicMember path: WritableKeyPath<Settings, Value>) -> Value? {
    get { names.contains(Self.setting(at: path).name) ? values[keyPath: path] : nil }
    set {
      let setting = Self.setting(at: path)
      if newValue == nil { names.remove(setting.name) } else { names.insert(setting.name) }
      values[keyPath: path] = newValue ?? Settings()[keyPath: path]
    }
  }

  /// The new value of a setting; nil if it stays as it is, or is `network`, of which parts change.
  package func value(of setting: Setting) -> Setting.Value? {
    names.contains(setting.name) ? setting.value(in: values) : nil
  }

  /// Changes a setting other than `network`, of which parts change. The value must be one that the setting takes.
  package mutating func set(_ setting: Setting, to value: Setting.Value) {
    precondition(setting.values != .networkClasses, "classes of networks change one by one")
    let isOfItsKind = setting.set(value, in: &values)
    precondition(isOfItsKind, "\(setting.name) takes other values")
    names.insert(setting.name)
  }

  /// The settings after the change.
  public func applied(to settings: Settings) -> Settings {
    var result = settings
    for setting in Settings.all where names.contains(setting.name) { setting.copy(from: values, to: &result) }
    result.network = network?.applied(to: settings.network) ?? settings.network
    return result
  }

  /// The settings after the change.
  ///
  /// - Throws: `Refusal` if a changed setting has a value that it does not take, or they break one of `Settings.rules`
  ///   or have policies for too many podcasts.
  func checked(on settings: Settings) throws(Refusal) -> Settings {
    let result = applied(to: settings)
    guard result.network.podcasts.count <= NetworkClasses.maximumPodcasts else {
      throw Refusal(
        .limitExceeded,
        "something is said of \(NetworkClasses.maximumPodcasts) podcasts at most; set some of them to inherit first",
        path: "payload.network.podcasts")
    }
    for setting in Settings.all where setting.values == .networkClasses ? network != nil : names.contains(setting.name)
    {
      guard setting.values.contain(setting.value(in: result)) else {
        throw Refusal(
          .invalidValue, "\(setting.name) must be \(setting.values.requirement)", path: "payload.\(setting.name)")
      }
    }
    for rule in Settings.rules where !rule.holds(for: result) {
      throw rule.refusal(of: result, namesLesser: names.contains(rule.lesser))
    }
    return result
  }

  private static func setting(at path: PartialKeyPath<Settings>) -> Setting {
    guard let setting = Settings.all.first(where: { $0.isKept(at: path) }) else {
      preconditionFailure("a property of Settings has no row in Settings.all")
    }
    return setting
  }
}
