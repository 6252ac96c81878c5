import ArgumentParser
import PrometheusMetrics

/// A value of `--metrics`.
enum MetricsTarget: Hashable {
  /// A file that is replaced every now and then.
  case file(String)
  /// An address at which Prometheus asks.
  case address(ListeningAddress)

  /// A path has a slash; everything else must be an address.
  init(argument: String) throws(ValidationError) {
    if argument.contains("/"), !argument.hasSuffix("/"), !argument.utf8.contains(0) {
      self = .file(argument)
    } else if let address = ListeningAddress(argument) {
      self = .address(address)
    } else {
      throw ValidationError(
        """
        it is neither a file with a slash in its path, such as ./podflux.prom, nor an address with a port, such as \
        127.0.0.1:9464, [::1]:9464 or :9464
        """)
    }
  }
}
