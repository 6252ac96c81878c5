import Testing
import TestScheduling

/// Tests that open sockets, one after the other: one of them counts open descriptors.
@Suite("With real sockets", .systemTest, .serialized)
enum RealSocketTests {}
