import Testing

/// Tests that open sockets, one after the other: one of them counts open descriptors.
@Suite("With real sockets", .serialized)
enum RealSocketTests {}
