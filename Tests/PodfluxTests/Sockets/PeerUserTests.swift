import Foundation
import Testing
import TestSupport

@testable import podflux

@Suite("Whose engine a client trusts")
struct PeerUserTests {
  @Test("Its own user's and root's; root also that of the user who owns the folder of the socket, or the library")
  func trust() throws {
    let folder = try TemporaryFolder("podflux-peer")
    let owner = try #require(PeerUser.owner(of: folder.path))
    let (own, other): (uid_t, uid_t) = (70_001, 70_002)
    let missing = folder.path + "/none"
    #expect(PeerUser(id: own).mayServe(own, folders: []))
    #expect(PeerUser(id: 0).mayServe(own, folders: []))
    #expect(!PeerUser(id: other).mayServe(own, folders: [folder.path]))
    #expect(!PeerUser(id: other).mayServe(0, folders: [missing, folder.path]))
    #expect(PeerUser(id: owner).mayServe(0, folders: [missing, folder.path]))
    #expect(owner == 0 || !PeerUser(id: owner).mayServe(own, folders: [folder.path]))
  }
}
