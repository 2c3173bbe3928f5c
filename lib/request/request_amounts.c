/* SPDX-License-Identifier: Apache-2.0 */
/* The budgets and the price of a request as numbers. The setters print them and set the options
 * "budget" and "price", so that one grammar checks both ways and each way tells what the other set;
 * the getters show what was parsed. */
#include <math.h>

#include "request/request_internal.h"

/* Sets an option to a text that was printed, unless printing failed, and frees the text. Called
 * outside of a call on the request, as alcore_request_set() is one itself. */
static alcore_status set_printed(alcore_request *request, const char *option, alcore_status status,
                                 alcore__buffer *text) {
    if (status == ALCORE_OK) status = alcore_request_set(request, option, text->data);
    alcore__buffer_clear(request->object.ctx, text);
    return status;
}

alcore_status alcore_request_set_budgets(alcore_request *request, const double *amounts,
                                         int64_t count, int32_t unit) {
    alcore__buffer text = {0};
    if (!request || !amounts || count < 1)
        return alcore__fail(ALCORE_E_INVALID, "alcore_request_set_budgets: request, amounts and a "
                                              "count of 1 or more are needed");
    alcore_ctx *ctx = request->object.ctx;
    ALCORE__TRY(alcore__enter(ctx));
    const alcore_status status =
        alcore__leave(ctx, alcore__budgets_print(ctx, amounts, count, unit, &text));
    return set_printed(request, "budget", status, &text);
}

/* Reads the caller's struct and prints the price. */
static alcore_status print_price(alcore_ctx *ctx, const alcore_price *theirs,
                                 alcore__buffer *text) {
    alcore_price price;
    ALCORE__TRY(alcore__struct_read(
        &price, sizeof price, ALCORE__FIRST_SIZE(alcore_price, reserved), theirs, "alcore_price"));
    ALCORE__TRY(alcore__struct_reserved(price.reserved, "alcore_price"));
    return alcore__price_print(ctx, &price, text);
}

alcore_status alcore_request_set_price(alcore_request *request, const alcore_price *price) {
    alcore__buffer text = {0};
    if (!request)
        return alcore__fail(ALCORE_E_INVALID, "alcore_request_set_price: request is needed");
    if (!price) return alcore_request_set(request, "price", "");
    alcore_ctx *ctx = request->object.ctx;
    ALCORE__TRY(alcore__enter(ctx));
    const alcore_status status = alcore__leave(ctx, print_price(ctx, price, &text));
    return set_printed(request, "price", status, &text);
}

/* Begins a public function that only reads the request: enters its context and locks it for
 * reading. Where this fails there is nothing to end. */
static alcore_status begin_reading(const alcore_request *request) {
    ALCORE__TRY(alcore__enter(request->object.ctx));
    const alcore_status status = alcore__read_begin(request, "request");
    return status == ALCORE_OK ? status : alcore__leave(request->object.ctx, status);
}

/* Ends it with its status. */
static alcore_status end_reading(const alcore_request *request, alcore_status status) {
    alcore__read_end(request);
    return alcore__leave(request->object.ctx, status);
}

/* Shows the budgets as a tensor [count], a view of the request's own arrays. A tensor points to its
 * data and shape without const, hence object.self, the request itself. */
static alcore_status show_budgets(const alcore_request *request, alcore_tensor *out_amounts,
                                  int32_t *out_unit) {
    alcore_request *self = request->object.self;
    if (self->budgets.count == 0)
        return alcore__fail(ALCORE_E_NOT_FOUND, "the request has no budget");
    *out_unit = self->budgets.unit;
    return alcore_tensor_init(out_amounts, self->budgets.amounts, ALCORE_FLOAT64,
                              &self->budgets.count, 1 /* dimension */);
}

alcore_status alcore_request_get_budgets(const alcore_request *request, alcore_tensor *out_amounts,
                                         int32_t *out_unit) {
    if (out_amounts) *out_amounts = (alcore_tensor){0};
    if (out_unit) *out_unit = 0;
    if (!request || !out_amounts || !out_unit)
        return alcore__fail(ALCORE_E_INVALID, "alcore_request_get_budgets: request, out_amounts "
                                              "and out_unit are needed");
    ALCORE__TRY(begin_reading(request));
    return end_reading(request, show_budgets(request, out_amounts, out_unit));
}

alcore_status alcore_request_get_price(const alcore_request *request, alcore_price *out) {
    if (!request || !out)
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_request_get_price: request and out are needed");
    ALCORE__TRY(begin_reading(request));
    return end_reading(request, alcore__price_tell(&request->price, out));
}
