/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of the log about a file that is read under another name than the caller gave it, such as a
 * copy. */
#ifndef ALCORE__LOG_NAMES_H
#define ALCORE__LOG_NAMES_H

/* From here on this thread logs lines that begin with path as if they began with name; name NULL:
 * it does not log them, as what they say is known. path NULL ends that. Both are borrowed. */
void alcore__log_rename(const char *path, const char *name);

#endif
