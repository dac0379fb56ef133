/* SQLite for Swift, which cannot read the macro SQLITE_TRANSIENT: it is a cast of a number to a function pointer.
 * SPDX-License-Identifier: Apache-2.0 */

#ifndef BANK_SQLITE_H
#define BANK_SQLITE_H

#include <sqlite3.h>

/* Binds a copy of the text. */
static inline int bank_bind_text(sqlite3_stmt *statement, int place, const char *text, int length) {
  return sqlite3_bind_text(statement, place, text, length, SQLITE_TRANSIENT);
}

#endif
