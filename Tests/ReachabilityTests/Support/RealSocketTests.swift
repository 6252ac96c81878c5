import Testing

/// What opens sockets, one after the other: one of these tests counts what is open.
@Suite("With real sockets", .serialized)
enum RealSocketTests {}
