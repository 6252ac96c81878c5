import Testing
import TestScheduling

/// What opens sockets, one after the other: one of these tests counts what is open.
@Suite("With real sockets", .systemTest, .serialized)
enum RealSocketTests {}
