/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the page about a project are written with (project_report.h). */
#include <math.h>
#include <string.h>

#include "extra/project/project_report.h"
#include "formats/escape.h"

void alcore__report_text(alcore__report *self, const char *text) {
    if (self->page.status == ALCORE_OK)
        self->page.status = alcore__xml_append(self->ctx, self->page.text, text, strlen(text));
}

void alcore__report_section(alcore__report *self, const char *title, const char *about) {
    alcore__say(&self->page, "<h2>%s</h2>\n<p>%s</p>\n", title, about);
}

void alcore__report_table(alcore__report *self, const char *const *names, int count) {
    alcore__say(&self->page, "<div class=\"wide\"><table>\n<tr>");
    for (int i = 0; i < count; i++) alcore__say(&self->page, "<th scope=\"col\">%s</th>", names[i]);
    alcore__say(&self->page, "</tr>\n");
}

double alcore__report_money(const alcore__report *self, double items, double words,
                            double characters, double units) {
    switch (self->price.unit) {
    case ALCORE_UNIT_ITEMS:
        return self->price.amount * items;
    case ALCORE_UNIT_WORDS:
        return self->price.amount * words;
    case ALCORE_UNIT_CHARACTERS:
        return self->price.amount * characters;
    default: /* of cost, which is counted where the budget is of it */
        return self->standing.unit == ALCORE_UNIT_UNITS ? self->price.amount * units : (double)NAN;
    }
}

const char *alcore__report_amount(const alcore__report *self, double money, char out[64]) {
    const char *currency = self->price.currency ? self->price.currency : "";
    out[0] = '\0';
    if (!isnan(money)) alcore__format(out, 64, "%.2f%s%s", money, *currency ? " " : "", currency);
    return out;
}
