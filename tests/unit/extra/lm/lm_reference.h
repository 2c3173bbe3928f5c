/* SPDX-License-Identifier: Apache-2.0 */
/* Kneser-Ney written down once more, from the definitions of spec 6.5 alone, by scanning the texts
 * for every number: slow, short, for small corpora of numbered words. */
#ifndef LM_REFERENCE_H
#define LM_REFERENCE_H

#include <stdbool.h>
#include <string.h>

/* Words from 3 on are the text's; 1 is <s>, 2 is </s>. */
typedef struct reference {
    const int (*texts)[16]; /* with <s> and </s> */
    const int *lengths;
    int count, order, words; /* words: text words are 3 .. words - 1 */
} reference;

static int reference_count(const reference *r, const int *gram, int n) {
    int found = 0;
    for (int i = 0; i < r->count; i++)
        for (int k = 0; k + n <= r->lengths[i]; k++)
            found += memcmp(r->texts[i] + k, gram, (size_t)n * sizeof(int)) == 0;
    return found;
}

static int reference_adjusted(const reference *r, const int *gram, int n) {
    if (n == 1 && gram[0] == 1) return 0;
    if (n == r->order || gram[0] == 1) return reference_count(r, gram, n);
    int before = 0;
    for (int v = 1; v < r->words; v++) {
        int longer[8] = {v};
        memcpy(longer + 1, gram, (size_t)n * sizeof(int));
        before += reference_count(r, longer, n + 1) > 0;
    }
    return before;
}

/* t_k over all n-grams, enumerated as numbers to base `words`. */
static void reference_discounts(const reference *r, int n, double *d, bool *fallback) {
    int t[6] = {0};
    long all = 1;
    for (int i = 0; i < n; i++) all *= r->words;
    for (long code = 0; code < all; code++) {
        int gram[8];
        long rest = code;
        for (int i = 0; i < n; i++, rest /= r->words) gram[i] = (int)(rest % r->words);
        const int a = reference_adjusted(r, gram, n);
        if (a >= 1 && a <= 4) t[a]++;
    }
    *fallback = t[1] == 0 || t[2] == 0 || t[3] == 0;
    for (int k = 1; k <= 3 && !*fallback; k++) {
        const double y = t[1] / (t[1] + 2.0 * t[2]);
        d[k] = k - (k + 1) * y * t[k + 1] / t[k];
        if (d[k] < 0 || d[k] > k) *fallback = true;
    }
    if (*fallback) memcpy(d, (double[]){0, 0.5, 1.0, 1.5}, 4 * sizeof(double));
}

/* p(w | h), h of n - 1 words; discounts[n] as found above. */
static double reference_p(const reference *r, double (*discounts)[4], const int *gram, int n) {
    double den = 0, weight = 0;
    int types = 0;
    int other[8];
    memcpy(other, gram, (size_t)n * sizeof(int));
    for (int w = 2; w < r->words; w++) {
        other[n - 1] = w;
        const int a = reference_adjusted(r, other, n);
        den += a;
        types += a > 0;
        weight += a == 0 ? 0 : discounts[n][a < 3 ? a : 3];
    }
    const double below = n == 1 ? 1.0 / (types + 1) : reference_p(r, discounts, gram + 1, n - 1);
    if (den == 0) return below;
    const int a = reference_adjusted(r, gram, n);
    return (a == 0 ? 0 : a - discounts[n][a < 3 ? a : 3]) / den + weight / den * below;
}

#endif
