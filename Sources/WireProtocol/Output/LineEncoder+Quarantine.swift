import PodfluxCore

/// The lines of `podflux quarantine`: one object a line.
extension LineEncoder {
  /// A file in quarantine.
  package mutating func quarantined(_ file: QuarantinedFile) {
    writer.object { line in
      line.member("at", file.at)
      line.member("because", file.because)
      line.member("bytes", file.length)
      line.member("download", file.download?.description)
      line.member("name", file.name)
      line.member("path", file.place?.text)
    }
    writer.endLine()
  }

  /// A file was put back to `place`.
  package mutating func restored(_ name: String, to place: EntryPath, bytes: Int64) {
    writer.object { line in
      line.member("bytes", bytes)
      line.member("name", name)
      line.member("path", place.text)
    }
    writer.endLine()
  }

  /// So much was deleted from the quarantine.
  package mutating func emptied(files: Int, bytes: Int64) {
    writer.object { line in
      line.member("bytes", bytes)
      line.member("files", files)
    }
    writer.endLine()
  }
}
