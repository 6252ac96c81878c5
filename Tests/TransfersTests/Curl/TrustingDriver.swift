import EngineRuntime
import ScriptedOrigin
import TestSupport

@testable import Transfers

extension CurlDriver {
  /// A driver that trusts the origins of the tests, with a bundle in this folder.
  static func trusting(in folder: TemporaryFolder) throws -> CurlDriver {
    try CurlDriver(
      configuration: .init(
        addedAuthorities: CertificateAuthorities(contentsOfFile: TLSMaterial.fixture.authorityPath),
        bundlePath: folder.path + "/bundle.pem"))
  }

  /// What an exchange comes to.
  func fetch(_ request: HTTPRequest, _ recorder: Recorder = Recorder()) async throws -> Result<
    ExchangeSummary, ExchangeFailure
  > {
    _ = start(request, delegate: recorder)
    return try await recorder.outcome()
  }
}
