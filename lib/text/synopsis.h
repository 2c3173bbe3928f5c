/* SPDX-License-Identifier: Apache-2.0 */
/* Synopses of commands: "fsck.minix [options] device". */
#ifndef ALCORE__SYNOPSIS_H
#define ALCORE__SYNOPSIS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a text is the synopsis of a command: its name, which begins with a small letter, and
 * behind it groups in brackets, options, and at most three words of small letters or of capitals,
 * with dots behind them or not, and nothing else. There are two groups or more; or one that begins
 * with "option" or has three dots behind it; or one that begins with "-", and at most one word. A
 * group that begins with neither has at most three words, none has a colon, a semicolon or "%".
 * roff's \, and \/ around italics do not count. */
bool alcore__is_synopsis(const char *text, size_t length);

#endif
