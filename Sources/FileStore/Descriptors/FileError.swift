import Glibc

/// An error of a file operation. Paths are relative to the library, except the path of the library itself.
package enum FileError: Error, Hashable, Sendable {
  /// The device or the user's quota is full (ENOSPC, EDQUOT).
  case noSpace(path: String)
  /// A file or folder exists already (EEXIST).
  case exists(path: String)
  /// No file or folder has this path (ENOENT).
  case notFound(path: String)
  /// The file system is mounted read-only (EROFS).
  case readOnly(path: String)
  /// The permissions forbid it (EACCES, EPERM).
  case denied(path: String)
  /// The permissions of a folder forbid to make, remove or rename an entry in it. The library's top is named by its
  /// whole path.
  case folderDenied(path: String)
  /// The path contains a symbolic link; the engine follows none inside a library (ELOOP).
  case symbolicLink(path: String)
  /// The path names no folder where one is required (ENOTDIR).
  case notAFolder(path: String)
  /// The path names a folder, a pipe or a device where a regular file is required.
  case notARegularFile(path: String)
  /// Others than the owner could read the file, and it holds secrets: its file system has no permissions.
  case notPrivate(path: String)
  /// Another program deleted, truncated or wrote to a file that the engine is writing.
  case changedOutside(path: String)
  /// Source and destination of a rename lie on different file systems (EXDEV).
  case crossDevice(path: String)
  /// The path could lead out of the library or into the engine's own folder, or it is too long or too deep.
  case illegalPath(path: String)
  /// The file system refuses this name.
  case refusedName(path: String)
  /// The folder lies deeper than the engine's limit.
  case tooDeep(path: String)
  /// The folder is another library, or holds the state of one: what lies in it is that one's.
  case ofOtherLibrary(path: String)
  /// SQLite opens no database in a state folder with so long a path (`Library.maximumStatePathBytes`).
  case longStatePath(path: String)
  /// The library's marker names a format that this version does not know.
  case unknownFormat(path: String)
  /// The library and its external state folder do not belong together.
  case mismatch(StateMismatch)
  /// Any other failure of a system call, with its errno.
  case io(operation: String, path: String, code: Int32)
}

extension FileError {
  /// Maps an errno to one of the cases above.
  init(operation: String, path: String, code: Int32) {
    switch code {
    case ENOSPC, EDQUOT: self = .noSpace(path: path)
    case EEXIST: self = .exists(path: path)
    case ENOENT: self = .notFound(path: path)
    case EROFS: self = .readOnly(path: path)
    case EACCES, EPERM: self = .denied(path: path)
    case ELOOP: self = .symbolicLink(path: path)
    case ENOTDIR: self = .notAFolder(path: path)
    case EXDEV: self = .crossDevice(path: path)
    default: self = .io(operation: operation, path: path, code: code)
    }
  }

  /// Whether the same may succeed later although no file changes: there were too few descriptors or too little memory,
  /// or the file system was mounted read-only or is one of a server that has restarted.
  package var isPassing: Bool {
    switch self {
    case .readOnly: true
    case .io(_, _, let code): [EMFILE, ENFILE, ENOMEM, ESTALE].contains(code)
    default: false
    }
  }
}

extension FileError: CustomStringConvertible {
  /// One sentence: what is wrong and, where possible, the remedy.
  package var description: String {
    switch self {
    case .noSpace(let path): "there is no space left to write \"\(path)\"; free some on the device or raise the quota"
    case .exists(let path): "\"\(path)\" exists already and is not replaced"
    case .notFound(let path): "\"\(path)\" does not exist"
    case .readOnly(let path): "\"\(path)\" is on a file system that is mounted read-only"
    case .denied(let path): "the permissions of \"\(path)\" do not allow this; give this user access to it"
    case .folderDenied(let path): "this user may not write in the folder \"\(path)\"; give it access to that folder"
    case .symbolicLink(let path): "\"\(path)\" is a symbolic link, and none is followed inside a library"
    case .notAFolder(let path): "\"\(path)\" is not a folder"
    case .notARegularFile(let path): "\"\(path)\" is not a regular file"
    case .notPrivate(let path): "other users could read \"\(path)\", because its file system has no permissions"
    case .changedOutside(let path): "\"\(path)\" was deleted or changed by another program while it was being written"
    case .crossDevice(let path):
      "\"\(path)\" is on another file system than the library, and files are not moved between the two; have it on the library's"
    case .illegalPath(let path):
      "\"\(path)\" is no path in a library; give a relative one of visible names, without \"..\" and not too long"
    case .refusedName(let path):
      "the disk takes no name such as \"\(path)\", or its folder has just been removed; choose one without \" * : < > ? |"
    case .tooDeep(let path): "\"\(path)\" lies deeper in the library than the engine goes; move it up"
    case .longStatePath(let path):
      """
      the path of its database's folder has \(path.utf8.count) bytes, and SQLite takes at most \
      \(Library.maximumStatePathBytes); name another folder with --state
      """
    case .ofOtherLibrary(let path):
      """
      "\(path)" is another library of Podflux, or the state of one, and only its own engine changes it; if it is none any \
      more, delete its folder .podflux
      """
    case .unknownFormat(let path): "\"\(path)\" names a library format that this version of Podflux does not know"
    case .mismatch(let mismatch): mismatch.description
    case .io(let operation, let path, EMFILE):
      "\(operation) failed for \"\(path)\": this process has too many open files; raise its limit (ulimit -n, LimitNOFILE=)"
    case .io(let operation, let path, let code):
      "\(operation) failed for \"\(path)\": \(String(cString: strerror(code)))"
    }
  }
}
