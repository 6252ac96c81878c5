// epoll(7) and eventfd(2), which Swift's Glibc leaves out.
#ifndef CLINUX_EVENT_CALLS_H
#define CLINUX_EVENT_CALLS_H

#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

/// eventfd(2), non-blocking: the descriptor, or the errno, negative.
static inline int linux_event_open(void) {
  int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return descriptor < 0 ? -errno : descriptor;
}

/// epoll_create1(2): the descriptor, or the errno, negative.
static inline int linux_epoll_open(void) {
  int descriptor = epoll_create1(EPOLL_CLOEXEC);
  return descriptor < 0 ? -errno : descriptor;
}

#endif
