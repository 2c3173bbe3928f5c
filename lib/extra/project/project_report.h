/* SPDX-License-Identifier: Apache-2.0 */
/* The page about a project (alcore_project_write_report()):
 *
 *   project_report.c          the call; where the project stands, what was spent, the next round
 *   project_report_rounds.c   what each round consists of
 *   project_report_people.c   annotators, how they agree, and what they differ on
 *   project_report_curves.c   measures of models over what was bought
 *   project_report_text.c     what these are written with
 *
 * It is one file of HTML, which loads nothing. Shapes, hatching and numbers tell things apart,
 * never a color alone. */
#ifndef ALCORE__PROJECT_REPORT_H
#define ALCORE__PROJECT_REPORT_H

#include "alcore/budget.h"
#include "extra/project/project_internal.h"
#include "selection/selection_internal.h"

/* What the report says of a round, from its items and their answers. */
typedef struct alcore__report_round {
    int64_t number; /* from 1 */
    const char *strategy, *time;
    int64_t items, answered, open, without, disagreeing;
    int64_t words, characters; /* of all items */
    double budget;             /* in the unit of the project */
    double cost, refunded;     /* of all items; of those without an answer */
    double quartile[3];     /* first quartile, median and third quartile of the words of an item */
    double near_duplicates; /* percent of the items */
    alcore__share *languages; /* [language_count] owned */
    alcore__share *reasons;   /* [reason_count] owned: beginnings of reasons */
    int64_t language_count, reason_count;
} alcore__report_round;

typedef struct alcore__report {
    alcore_project *project;
    alcore_ctx *ctx;
    alcore__page page;
    alcore__project_settings settings;
    alcore_project_status standing;
    alcore__buffer failures; /* texts of standing */
    alcore_price price;      /* amount NaN: there is none */
    alcore__arena strings;
    alcore__report_round *rounds; /* [count] owned, in their order */
    int64_t count;
    double seconds;          /* spent on answers of which the time is known */
    int64_t timed;           /* such answers */
    int64_t candidates_left; /* that no round has taken; -1: not known */
} alcore__report;

/* Appends text from outside. */
void alcore__report_text(alcore__report *self, const char *text);
/* Appends a heading and a sentence under it. */
void alcore__report_section(alcore__report *self, const char *title, const char *about);
/* Appends a table's head: names of columns. */
void alcore__report_table(alcore__report *self, const char *const *names, int count);
/* Money for so much of each unit by the price; NaN where the price tells nothing. */
double alcore__report_money(const alcore__report *self, double items, double words,
                            double characters, double units);
/* "12.30 EUR"; "" for NaN. */
const char *alcore__report_amount(const alcore__report *self, double money, char out[64]);

/* Reads the rounds, and writes what they consist of. */
alcore_status alcore__report_read_rounds(alcore__report *self);
alcore_status alcore__report_put_rounds(alcore__report *self);
alcore_status alcore__report_put_people(alcore__report *self);
alcore_status alcore__report_put_curves(alcore__report *self);

#endif
