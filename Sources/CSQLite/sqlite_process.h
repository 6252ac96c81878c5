// SQLite's process-wide options: `sqlite3_config` is variadic, which Swift cannot call.

#ifndef PODFLUX_SQLITE_PROCESS_H
#define PODFLUX_SQLITE_PROCESS_H

#include <sqlite3.h>

// Whether SQLite counts its memory usage, under a mutex at each allocation
// (https://www.sqlite.org/c3ref/c_config_covering_index_scan.html#sqliteconfigmemstatus).
static inline int sqlite_process_count_memory(int counts) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, counts);
}

// How much memory each connection reserves for small objects, which it then allocates there without malloc
// (https://www.sqlite.org/malloc.html#lookaside).
static inline int sqlite_process_set_lookaside(int bytes, int slots) {
  return sqlite3_config(SQLITE_CONFIG_LOOKASIDE, bytes, slots);
}

#endif
