import Flux
import PodfluxCore

/// How services read files. Each file may have been replaced since it was found.
extension LibraryFileSystem {
  /// The SHA-256 of a file, in hexadecimal digits; nil if it is not that file any more, was written to since it was
  /// found, or cannot be read.
  ///
  /// - Parameter whenRead: Called with the count of bytes of each piece that was read. It says whether to go on;
  ///   otherwise the result is nil too.
  package func sha256(of found: FoundFile, whenRead: (Int) -> Bool) -> String? {
    do throws(FileSystemFailure) {
      guard let contents = try openUntouched(found) else { return nil }
      var reading = ContentReading(contents, isHashed: true)
      while true {
        switch try reading.advance() {
        case .read(let bytes): guard whenRead(bytes) else { return nil }
        case .complete: return reading.sha256()
        case .changed: return nil
        }
      }
    } catch {
      return nil
    }
  }

  /// What a file looks like; nil if it is not that file any more, was written to since it was found, or cannot be read.
  package func likeness(of found: FoundFile) -> MediaCheck.Likeness? {
    do throws(FileSystemFailure) {
      guard let contents = try openUntouched(found) else { return nil }
      return try contents.likeness(name: found.place.text)
    } catch {
      return nil
    }
  }

  /// What the tags of a file say; nil if it has none, is not that file any more, was written to since it was found, or
  /// cannot be read.
  package func tags(of found: FoundFile, while goOn: () -> Bool) -> AdoptableFile.Tags? {
    do throws(FileSystemFailure) {
      return try openUntouched(found).flatMap { tags(in: $0, while: goOn) }
    } catch {
      return nil
    }
  }

  /// Opens a file if it is still as it was found. A tagger may edit it between the listing and the reading: then its
  /// content goes with another time, and a comparison with what was found would take the edit for damage.
  private func openUntouched(_ found: FoundFile) throws(FileSystemFailure) -> Contents? {
    guard let contents = try open(found.place).regularFile(), found.isUntouched(as: contents.file) else { return nil }
    return contents
  }

  /// Whether a file that was found existed at a moment; nil where the file system does not know.
  package func existed(_ found: FoundFile, at moment: Timestamp) -> Bool? {
    do throws(FileSystemFailure) {
      guard let contents = try open(found.place).regularFile(), found.isSameFile(as: contents.file),
        let birth = contents.birth
      else { return nil }
      return birth <= moment
    } catch {
      // One that cannot be opened is as unknown as one whose beginning no file system has noted down.
      return nil
    }
  }

  /// When a file that was found was last changed; nil if it is not that file any more, or cannot be opened.
  package func changed(_ found: FoundFile) -> Timestamp? {
    do throws(FileSystemFailure) {
      return try openUntouched(found)?.changed
    } catch {
      return nil
    }
  }

  /// Whether a file has this name too; where that cannot be known it has. Behind a link a path can
  /// be a name of the file only if the file has several (link(2)).
  package func isAlso(_ found: FoundFile, at path: LibraryPath) -> Bool {
    do throws(FileSystemFailure) {
      switch try look(at: EntryPath(path)) {
      case .file(let present): return found.isSameFile(as: present)
      case .nothing, .other: return false
      case .link, .behindLink: return try open(found.place).regularFile()?.hasOtherNames() ?? true
      }
    } catch {
      return true
    }
  }

  /// Whether the file stands where it was to be published. A link or a folder there, or a link on the way, is not it.
  package func isPublished(_ file: PublishedFile) throws(FileSystemFailure) -> Bool {
    switch try look(at: EntryPath(file.path)) {
    case .file(let present): FoundFile(file).isSameFile(as: present)
    case .nothing, .link, .other, .behindLink: false
    }
  }

  /// Whether anything at all is at a place. A link on the way fails.
  func exists(_ place: EntryPath) throws(FileSystemFailure) -> Bool {
    switch try look(at: place) {
    case .nothing: false
    case .file, .link, .other: true
    case .behindLink(let failure): throw failure
    }
  }

  /// The hash of the last 64 KiB of so many bytes of a partial file, as resume records have it; nil if it cannot be
  /// read.
  package func tailHash(of download: DownloadID, length: Int64) -> String? {
    do throws(FileSystemFailure) {
      let file = try openExistingPartial(of: download)
      defer { file.close() }
      return try file.tailHash(length: length)
    } catch {
      return nil
    }
  }
}

extension PublishedFileContents {
  /// The apparent type of the file, by its beginning and its name. Cost: one reading.
  func likeness(name: String) throws(FileSystemFailure) -> MediaCheck.Likeness {
    MediaCheck.likeness(prefix: try beginning(), name: name)
  }
}

extension FoundFile {
  /// Whether it is that file, and has not been written to since.
  func isUntouched(as present: FoundFile) -> Bool {
    isSameFile(as: present) && modifiedNanoseconds == present.modifiedNanoseconds
  }

  /// Whether the file that is at its place now is the one that was found or recorded: by inode and length. Where the
  /// file system has no inodes that last, the length alone tells.
  package func isSameFile(as present: FoundFile) -> Bool {
    (inode == present.inode || present.inode == Self.unknownInode) && length == present.length
  }
}
