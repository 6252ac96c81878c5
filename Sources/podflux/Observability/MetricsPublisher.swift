import Dispatch
import Logging
import PodfluxEngine
import PrometheusMetrics
import Synchronization

/// Shows an engine's metrics in a file or to those who ask, until `finish`.
final class MetricsPublisher: Sendable {
  /// Why nothing can be shown.
  struct Failure: Error, CustomStringConvertible {
    /// One sentence for people.
    let description: String
  }

  /// How often the file is written, in seconds.
  static let fileSeconds = 15
  /// How long the engine may take for its gauges, in milliseconds.
  private static let gaugesMilliseconds = 2000

  private enum Outlet {
    case file(ExpositionFile)
    case server(ExpositionServer)
  }

  /// What the engine measures into.
  let registry = PrometheusRegistry(EngineMetric.allCases.map { MetricFamily($0.rawValue, help: $0.help) })
  private let outlet: Outlet
  private let logger: Logger
  private let queue = DispatchQueue(label: "podflux.metrics", qos: .utility)
  private let writing = Mutex(Writing())

  private struct Writing {
    var timer: (any DispatchSourceTimer)?
    /// Whether the file could be written last time.
    var succeeds = true
  }

  /// Listens, or writes a first file: what is not possible is found before the library is opened.
  init(_ target: MetricsTarget, logger: Logger) throws(Failure) {
    self.logger = logger
    switch target {
    case .file(let path):
      let file = ExpositionFile(path)
      do throws(ExpositionFile.Failure) {
        try file.write(registry.exposition())
      } catch {
        throw Failure(description: error.description)
      }
      outlet = .file(file)
    case .address(let address):
      do throws(ExpositionServer.Failure) {
        outlet = .server(try ExpositionServer(address))
      } catch {
        throw Failure(description: error.description)
      }
    }
  }

  /// Begins to show the engine's metrics.
  func start(_ engine: Engine) {
    switch outlet {
    case .file(let file):
      writing.withLock { writing in
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now(), repeating: .seconds(Self.fileSeconds))
        timer.setEventHandler { [self] in
          engine.readGauges { self.queue.async { self.write(file) } }
        }
        timer.activate()
        writing.timer = timer
      }
    case .server(let server):
      server.start { [registry] in
        let isRead = DispatchSemaphore(value: 0)
        engine.readGauges { isRead.signal() }
        guard isRead.wait(timeout: .now() + .milliseconds(Self.gaugesMilliseconds)) == .success else { return nil }
        return registry.exposition()
      }
      logger.notice("metrics are served", metadata: ["address": "\(server.address)"])
    }
  }

  /// Shows the last figures: the engine has ended.
  func finish() {
    switch outlet {
    case .file(let file):
      writing.withLock { $0.timer?.cancel() }
      queue.sync { write(file) }
    case .server(let server): server.stop()
    }
  }

  /// On `queue` only.
  private func write(_ file: ExpositionFile) {
    do throws(ExpositionFile.Failure) {
      try file.write(registry.exposition())
      let succeededBefore = writing.withLock { writing in
        defer { writing.succeeds = true }
        return writing.succeeds
      }
      if !succeededBefore { logger.notice("the metrics can be written again") }
    } catch {
      let succeededBefore = writing.withLock { writing in
        defer { writing.succeeds = false }
        return writing.succeeds
      }
      if succeededBefore { logger.error("\(error); they are tried again every \(Self.fileSeconds) s") }
    }
  }
}
