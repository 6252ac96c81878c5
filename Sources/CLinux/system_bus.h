// sd-bus(3) of libsystemd, loaded at run time if present: the engine does not depend on it.
#ifndef PODFLUX_SYSTEM_BUS_H
#define PODFLUX_SYSTEM_BUS_H

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>

/// sd_bus_message_handler_t(3), with untyped pointers.
typedef int (*linux_bus_handler)(void *message, void *user_data, void *error);

/// The used functions of libsystemd, none of which waits for the bus.
struct linux_bus_library {
  int (*make)(void **bus);
  int (*open_system)(void **bus);
  int (*set_address)(void *bus, const char *address);
  int (*set_bus_client)(void *bus, int is_client);
  int (*start)(void *bus);
  void *(*close_unref)(void *bus);
  int (*process)(void *bus, void **message);
  int (*descriptor)(void *bus);
  int (*events)(void *bus);
  int (*timeout)(void *bus, uint64_t *microseconds);
  int (*add_match)(
      void *bus, void **slot, const char *match, linux_bus_handler handler, linux_bus_handler installed, void *user_data);
  int (*new_call)(
      void *bus, void **message, const char *service, const char *path, const char *interface, const char *member);
  int (*set_auto_start)(void *message, int starts);
  int (*append)(void *message, const char *types, ...);
  int (*call)(
      void *bus, void **slot, void *message, linux_bus_handler handler, void *user_data, uint64_t microseconds);
  int (*read)(void *message, const char *types, ...);
  int (*is_error)(void *message, const char *name);
  void *(*message_unref)(void *message);
};

/// Loads libsystemd. Returns 0, or ENOENT if it or one of the functions is missing. It is never unloaded.
static inline int linux_bus_load(struct linux_bus_library *library) {
  void *handle = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!handle) return ENOENT;
#define PODFLUX_LOAD(member, name) \
  if (!(*(void **)&library->member = dlsym(handle, name))) return ENOENT
  PODFLUX_LOAD(make, "sd_bus_new");
  PODFLUX_LOAD(open_system, "sd_bus_open_system");
  PODFLUX_LOAD(set_address, "sd_bus_set_address");
  PODFLUX_LOAD(set_bus_client, "sd_bus_set_bus_client");
  PODFLUX_LOAD(start, "sd_bus_start");
  PODFLUX_LOAD(close_unref, "sd_bus_close_unref");
  PODFLUX_LOAD(process, "sd_bus_process");
  PODFLUX_LOAD(descriptor, "sd_bus_get_fd");
  PODFLUX_LOAD(events, "sd_bus_get_events");
  PODFLUX_LOAD(timeout, "sd_bus_get_timeout");
  PODFLUX_LOAD(add_match, "sd_bus_add_match_async");
  PODFLUX_LOAD(new_call, "sd_bus_message_new_method_call");
  PODFLUX_LOAD(set_auto_start, "sd_bus_message_set_auto_start");
  PODFLUX_LOAD(append, "sd_bus_message_append");
  PODFLUX_LOAD(call, "sd_bus_call_async");
  PODFLUX_LOAD(read, "sd_bus_message_read");
  PODFLUX_LOAD(is_error, "sd_bus_message_is_method_error");
  PODFLUX_LOAD(message_unref, "sd_bus_message_unref");
#undef PODFLUX_LOAD
  return 0;
}

/// Starts to connect to the bus at an address, or to the system bus without one. 0, or the errno.
static inline int linux_bus_open(const struct linux_bus_library *library, const char *address, void **bus) {
  *bus = NULL;
  if (!address) return -library->open_system(bus);
  int result = library->make(bus);
  if (result < 0) return -result;
  result = library->set_address(*bus, address);
  if (result >= 0) result = library->set_bus_client(*bus, 1);
  if (result >= 0) result = library->start(*bus);
  if (result >= 0) return 0;
  library->close_unref(*bus);
  *bus = NULL;
  return -result;
}

/// Requests a property from a running service, without starting it. 0, or the errno.
static inline int linux_bus_ask_property(
    const struct linux_bus_library *library, void *bus, const char *service, const char *path, const char *interface,
    const char *property, linux_bus_handler handler, void *user_data, uint64_t timeout_microseconds) {
  void *message = NULL;
  int result = library->new_call(bus, &message, service, path, "org.freedesktop.DBus.Properties", "Get");
  if (result < 0) return -result;
  result = library->set_auto_start(message, 0);
  if (result >= 0) result = library->append(message, "ss", interface, property);
  if (result >= 0) result = library->call(bus, NULL, message, handler, user_data, timeout_microseconds);
  library->message_unref(message);
  return result < 0 ? -result : 0;
}

/// Reads the number from the reply to a property request. 0, or the errno.
static inline int linux_bus_read_number(const struct linux_bus_library *library, void *message, uint32_t *number) {
  int result = library->read(message, "v", "u", number);
  return result > 0 ? 0 : EBADMSG;
}

/// Reads the three texts of a NameOwnerChanged signal; they live as long as the message. 0, or the errno.
static inline int linux_bus_read_owner(
    const struct linux_bus_library *library, void *message, const char **name, const char **before, const char **now) {
  int result = library->read(message, "sss", name, before, now);
  return result > 0 ? 0 : EBADMSG;
}

#endif
