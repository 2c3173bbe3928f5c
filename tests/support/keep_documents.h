/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the JSON documents that the library makes while the tests run, for the test that validates
 * them against their schemas (tests/bindings/python/test_documents.py). Included before every
 * source of a Check test (tests/meson.build): calls that make documents lead to functions of
 * keep_documents.c, which call the library and keep what it answers in the folder
 * $ALCORE_TEST_DOCUMENTS; without the variable nothing is kept. */
#ifndef KEEP_DOCUMENTS_H
#define KEEP_DOCUMENTS_H

#define alcore_select(request, out) keep_select(request, out)
#define alcore_selection_report(selection, path, options) keep_report(selection, path, options)
#define alcore_mix_provenance(mix) keep_mix_provenance(mix)

#endif
