// What SQLite is told for the whole process: `sqlite3_config` takes any number of arguments, and Swift calls no such functions.

#ifndef PODFLUX_SQLITE_PROCESS_H
#define PODFLUX_SQLITE_PROCESS_H

#include <sqlite3.h>

// Whether SQLite counts how much memory all of it takes, under a mutex at each allocation
// (https://www.sqlite.org/c3ref/c_config_covering_index_scan.html#sqliteconfigmemstatus).
static inline int sqlite_process_count_memory(int counts) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, counts);
}

// How much memory each connection sets aside for small objects, which it then takes from there without asking malloc
// (https://www.sqlite.org/malloc.html#lookaside).
static inline int sqlite_process_set_lookaside(int bytes, int slots) {
  return sqlite3_config(SQLITE_CONFIG_LOOKASIDE, bytes, slots);
}

#endif
