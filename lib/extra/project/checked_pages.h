/* SPDX-License-Identifier: Apache-2.0 */
/* A virtual file system of SQLite under which each page of a database carries its own digest.
 *
 * SQLite leaves PAGE_DIGEST_BYTES at the end of each page alone. They hold the XXH3 of the rest of
 * the page and of its number: written with each page, compared with each page that is read. A byte
 * that changed on the disk, a page in the wrong place and a page that was torn are found before
 * SQLite sees them, and there is no second file that a crash could leave behind. Journals pass
 * through as they are: what SQLite plays back from them gets new digests.
 *
 * Files themselves are those of the default file system of the process. */
#ifndef ALCORE__PROJECT_CHECKED_PAGES_H
#define ALCORE__PROJECT_CHECKED_PAGES_H

#include <sqlite3.h>
#include <stdint.h>

enum { PAGE_BYTES = 4096, PAGE_DIGEST_BYTES = 16 };

/* Registers the file system unless it is there; its name, or NULL without memory. */
const char *alcore__checked_pages_register(void);

/* Reads each page of an open main database and compares it with its digest: SQLITE_OK;
 * SQLITE_IOERR_DATA, *page is the first one that is not what was written, from 1, also where the
 * length of the file is not that of `pages` pages; another code of SQLite. poll is called now and
 * then: what it returns but SQLITE_OK ends the reading. */
int alcore__checked_pages_verify(sqlite3 *database, int64_t pages, int (*poll)(void *user),
                                 void *user, int64_t *page);

/* Reads the first bytes of the file without comparing them with a digest; SQLITE_IOERR_SHORT_READ:
 * it has fewer. */
int alcore__checked_pages_peek(sqlite3 *database, void *data, int bytes);

#endif
