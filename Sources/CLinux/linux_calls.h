// The Linux calls that Swift's Glibc module does not export, because it is built without _GNU_SOURCE.
#ifndef PODFLUX_LINUX_CALLS_H
#define PODFLUX_LINUX_CALLS_H

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/stat.h>
#include <malloc.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/// renameat2(2) with RENAME_NOREPLACE: 0, or the errno of the failure (EEXIST when the destination is taken).
static inline int linux_rename_without_replacing(
    int source_folder, const char *source, int destination_folder, const char *destination) {
  const unsigned int rename_noreplace = 1;
  long result = syscall(
      SYS_renameat2, source_folder, source, destination_folder, destination, rename_noreplace);
  return result == 0 ? 0 : errno;
}

/// sync_file_range(2) with SYNC_FILE_RANGE_WRITE: makes the kernel start to write, and waits for nothing. It hides no
/// error from a later fsync(2), and proves nothing about durability.
static inline void linux_begin_writing_back(int file, long long offset, long long length) {
  const unsigned int sync_file_range_write = 2;
  (void)syscall(SYS_sync_file_range, file, offset, length, sync_file_range_write);
}

/// copy_file_range(2) from and to the same offset: the number of bytes copied, 0 at the end, or the errno, negative. On file
/// systems with shared extents, such as XFS and Btrfs, it copies no data.
static inline long long linux_copy_range(int source, int destination, long long offset, unsigned long count) {
  long long from = offset, to = offset;
  long copied = syscall(SYS_copy_file_range, source, &from, destination, &to, count, 0);
  return copied < 0 ? -errno : copied;
}

/// dup3(2) with O_CLOEXEC: `number` refers to the open file of `source` too; its former file is closed. Returns the
/// number, or -1 with errno.
static inline int linux_replace(int source, int number) {
  return (int)syscall(SYS_dup3, source, number, O_CLOEXEC);
}

/// Switches open(2)'s O_DIRECT on or off for an open file: 0 or the errno.
static inline int linux_set_direct(int file, int is_direct) {
  int flags = fcntl(file, F_GETFL);
  if (flags < 0) return errno;
  return fcntl(file, F_SETFL, is_direct ? flags | __O_DIRECT : flags & ~__O_DIRECT) == 0 ? 0 : errno;
}

/// Whether a file lies on ext2, ext3, ext4 or XFS (statfs(2)).
static inline int linux_is_on_ext_or_xfs(int file) {
  struct statfs status;
  return fstatfs(file, &status) == 0 && (status.f_type == EXT4_SUPER_MAGIC || status.f_type == XFS_SUPER_MAGIC);
}

/// The magic number of an open file's file system (statfs(2), f_type); 0 if unknown.
static inline unsigned long linux_file_system(int file) {
  struct statfs status;
  return fstatfs(file, &status) == 0 ? (unsigned long)status.f_type & 0xffffffffUL : 0;
}

/// Reads the time zone of the process again (tzset(3): TZ, or else /etc/localtime).
static inline void linux_read_time_zone(void) { tzset(); }

/// By how much local clocks are ahead of UTC at a time, in seconds (localtime_r(3)); 0 for a year beyond all numbers.
static inline int64_t linux_local_offset(int64_t seconds) {
  time_t time = (time_t)seconds;
  struct tm parts;
  return localtime_r(&time, &parts) ? (int64_t)parts.tm_gmtoff : 0;
}

/// When an open file was created (statx(2), STATX_BTIME): 0, or the errno; EOPNOTSUPP if the file system does not store it.
static inline int linux_birth_time(int file, int64_t *seconds, uint32_t *nanoseconds) {
  const int at_empty_path = 0x1000;
  struct statx status;
  if (syscall(SYS_statx, file, "", at_empty_path, STATX_BTIME, &status) != 0) return errno;
  if (!(status.stx_mask & STATX_BTIME)) return EOPNOTSUPP;
  *seconds = status.stx_btime.tv_sec;
  *nanoseconds = status.stx_btime.tv_nsec;
  return 0;
}

/// mallopt(3): allocations below `mapping_threshold` come from heaps, a heap keeps some free memory at its end, and the
/// number of heaps is limited.
static inline void linux_keep_freed_memory(int mapping_threshold, int kept_bytes, int heaps) {
  (void)mallopt(M_MMAP_THRESHOLD, mapping_threshold);
  (void)mallopt(M_TRIM_THRESHOLD, kept_bytes);
  (void)mallopt(M_ARENA_MAX, heaps);
}

/// Calls only functions that signal-safety(7) allows.
static inline void linux_tell_bus_error(int number) {
  static const char message[] =
      "podflux: the engine had to end: the disk of the library, or this user's quota on it, is full, so that SQLite could "
      "not change podflux.sqlite-shm; free some and start podflux run again, which goes on with everything\n";
  (void)number;
  ssize_t written = write(STDERR_FILENO, message, sizeof message - 1);
  (void)written;
  _exit(1);
}

/// Makes SIGBUS end the process with status 1 and one line on stderr, at once and without cleanup.
static inline void linux_end_on_bus_error(void) {
  signal(SIGBUS, linux_tell_bus_error);
}

/// pidfd_open(2): a descriptor that poll(2) finds readable when the child has ended, or -1 with errno. No exec passes it on.
static inline int linux_open_process(int process) {
  return (int)syscall(SYS_pidfd_open, process, 0);
}

/// A file in memory alone (memfd_create(2)), which no exec passes on: its descriptor, or -1 with errno.
static inline int linux_memory_file(const char *name) {
  const unsigned int close_on_exec = 1;
  return (int)syscall(SYS_memfd_create, name, close_on_exec);
}

extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);

/// A child that is started with these actions has no descriptor from `first` on: 0 or the errno.
static inline int linux_add_closing_from(posix_spawn_file_actions_t *actions, int first) {
  return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

#endif
