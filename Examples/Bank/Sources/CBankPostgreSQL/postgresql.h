/* PostgreSQL's client library for Swift, which cannot read the macro PG_DIAG_SQLSTATE: it is a character.
 * SPDX-License-Identifier: Apache-2.0 */

#ifndef BANK_POSTGRESQL_H
#define BANK_POSTGRESQL_H

#include <libpq-fe.h>

/* The five characters that say what went wrong, or NULL. */
static inline const char *bank_sqlstate(const PGresult *result) {
  return PQresultErrorField(result, PG_DIAG_SQLSTATE);
}

#endif
