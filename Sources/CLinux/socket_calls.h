// The calls for Unix sockets that Swift's Glibc module does not export, because it is built without _GNU_SOURCE.
//
// <sys/socket.h> is not included: its types would belong to this module, and no longer to Glibc.
#ifndef PODFLUX_SOCKET_CALLS_H
#define PODFLUX_SOCKET_CALLS_H

#include <asm/socket.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/// accept4(2), close-on-exec and non-blocking: the descriptor, or the errno, negative.
static inline int linux_accept(int listener) {
  // SOCK_CLOEXEC and SOCK_NONBLOCK have the values of open(2)'s flags.
  long descriptor = syscall(SYS_accept4, listener, (void *)0, (void *)0, O_CLOEXEC | O_NONBLOCK);
  return descriptor < 0 ? -errno : (int)descriptor;
}

/// Who is at the other end of a Unix socket (unix(7), SO_PEERCRED).
struct linux_peer {
  pid_t process;
  uid_t user;
  gid_t group;
};

/// The user that connected to a Unix socket: 0, or the errno.
static inline int linux_peer_user(int socket, uid_t *user) {
  struct linux_peer peer;
  unsigned int length = sizeof peer;
  if (syscall(SYS_getsockopt, socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return errno;
  *user = peer.user;
  return 0;
}

/// The process that listens at a Unix socket, for a client that has connected: 0, or the errno.
static inline int linux_peer_process(int socket, pid_t *process) {
  struct linux_peer peer;
  unsigned int length = sizeof peer;
  if (syscall(SYS_getsockopt, socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return errno;
  *process = peer.process;
  return 0;
}

#endif
