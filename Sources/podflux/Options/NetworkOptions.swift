import ArgumentParser
import PodfluxCore

/// The values of `--network`.
enum NetworkChoice: String, ExpressibleByArgument, CaseIterable {
  case auto, wifi, cellular, offline

  /// The reported path; nil to determine it.
  var path: NetworkPath? {
    switch self {
    case .auto: nil
    case .wifi: NetworkPath(status: .online, interface: .wifi)
    case .cellular: NetworkPath(status: .online, interface: .cellular)
    case .offline: .offline
    }
  }
}

/// A value of `--interface`: a device and its kind, such as `wlan9=cellular`.
struct DeviceKind: ExpressibleByArgument {
  let device: String
  let interface: NetworkPath.Interface

  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2, NetworkPath.isDeviceName(parts[0]),
      let interface = NetworkPath.Interface(rawValue: parts[1])
    else { return nil }
    (device, self.interface) = (parts[0], interface)
  }

  static var allValueStrings: [String] { NetworkPath.Interface.allCases.map { "DEVICE=\($0.rawValue)" } }
}
