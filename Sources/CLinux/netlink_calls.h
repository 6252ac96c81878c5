// The part of rtnetlink(7) for links: structures and macros that Swift's Glibc module does not export.
#ifndef PODFLUX_NETLINK_CALLS_H
#define PODFLUX_NETLINK_CALLS_H

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

/// Opens an rtnetlink socket in the network namespace of the calling thread. With `groups` (RTMGRP_…) it
/// receives notifications; a read waits no longer than `timeout_seconds`. Returns the descriptor, or the errno, negative.
static inline int linux_netlink_open(unsigned int groups, int receive_bytes, int timeout_seconds) {
  int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
  if (descriptor < 0) return -errno;
  struct timeval timeout = {.tv_sec = timeout_seconds};
  struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = groups};
  // A larger buffer is optional; the kernel clamps it to net.core.rmem_max.
  (void)setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
  if (setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout) == 0 &&
      bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0)
    return descriptor;
  int reason = errno;
  (void)close(descriptor);
  return -reason;
}

/// Sends a request to the kernel. Returns 0 or the errno.
static inline int linux_netlink_send(int descriptor, const struct nlmsghdr *request) {
  struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
  while (sendto(descriptor, request, request->nlmsg_len, 0, (struct sockaddr *)&kernel, sizeof kernel) < 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

/// Requests all objects of a kind (RTM_GETLINK, RTM_GETADDR, RTM_GETROUTE), of every family. Returns 0 or the errno.
static inline int linux_netlink_request_all(int descriptor, unsigned short type, unsigned int sequence) {
  struct {
    struct nlmsghdr header;
    struct ifinfomsg body;
    struct rtattr attribute;
    unsigned int filter;
  } request;
  memset(&request, 0, sizeof request);
  request.header.nlmsg_type = type;
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  request.header.nlmsg_seq = sequence;
  request.header.nlmsg_len = NLMSG_LENGTH(sizeof request.body);
  if (type == RTM_GETLINK) {
    const unsigned int skip_statistics = 1 << 3;  // RTEXT_FILTER_SKIP_STATS
    request.attribute.rta_type = IFLA_EXT_MASK;
    request.attribute.rta_len = RTA_LENGTH(sizeof request.filter);
    request.filter = skip_statistics;
    request.header.nlmsg_len = sizeof request;
  }
  return linux_netlink_send(descriptor, &request.header);
}

/// Asks which route leads to an address of 4 or 16 bytes, by all rules and tables, as for a socket that is bound to no
/// device. No packet is sent. Returns 0 or the errno.
static inline int linux_netlink_request_route(
    int descriptor, unsigned char family, const void *address, unsigned char size, unsigned int sequence) {
  struct {
    struct nlmsghdr header;
    struct rtmsg body;
    struct rtattr attribute;
    unsigned char address[16];
  } request;
  if (size > sizeof request.address) return EINVAL;
  memset(&request, 0, sizeof request);
  request.header.nlmsg_type = RTM_GETROUTE;
  request.header.nlmsg_flags = NLM_F_REQUEST;
  request.header.nlmsg_seq = sequence;
  request.header.nlmsg_len = NLMSG_LENGTH(sizeof request.body) + RTA_LENGTH(size);
  request.body.rtm_family = family;
  request.body.rtm_dst_len = (unsigned char)(size * 8);
  request.attribute.rta_type = RTA_DST;
  request.attribute.rta_len = (unsigned short)RTA_LENGTH(size);
  memcpy(request.address, address, size);
  return linux_netlink_send(descriptor, &request.header);
}

/// Reads the next datagram. Returns its length, 0 for one that is not from the kernel, or the errno, negative: EAGAIN if
/// there is none, ENOBUFS if some were lost or this one is longer than the buffer.
static inline long linux_netlink_receive(int descriptor, void *buffer, unsigned long size, int may_wait) {
  struct sockaddr_nl sender;
  memset(&sender, 0, sizeof sender);
  socklen_t sender_size = sizeof sender;
  long count;
  do {
    count = recvfrom(
        descriptor, buffer, size, MSG_TRUNC | (may_wait ? 0 : MSG_DONTWAIT), (struct sockaddr *)&sender, &sender_size);
  } while (count < 0 && errno == EINTR);
  if (count < 0) return -errno;
  if (sender.nl_pid != 0) return 0;
  return (unsigned long)count > size ? -ENOBUFS : count;
}

/// setns(2): moves the calling thread to the open network namespace, for its later sockets. 0 or the errno.
static inline int linux_enter_network_namespace(int descriptor) {
  const int clone_newnet = 0x40000000;
  return syscall(SYS_setns, descriptor, clone_newnet) == 0 ? 0 : errno;
}

#endif
