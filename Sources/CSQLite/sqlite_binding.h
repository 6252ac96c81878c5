// Binding texts: Swift cannot import SQLITE_TRANSIENT, a macro with a cast.

#ifndef PODFLUX_SQLITE_BINDING_H
#define PODFLUX_SQLITE_BINDING_H

#include <sqlite3.h>

// Binds a copy of a text of so many bytes, which may be NULL if there are none
// (https://www.sqlite.org/c3ref/bind_blob.html).
static inline int sqlite_bind_text_copy(sqlite3_stmt *statement, int index, const char *text, int bytes) {
  return sqlite3_bind_text(statement, index, bytes == 0 ? "" : text, bytes, SQLITE_TRANSIENT);
}

#endif
