/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Symbol visibility and calling convention. Every exported function is marked ALCORE_API. */
#ifndef ALCORE_EXPORT_H
#define ALCORE_EXPORT_H

#if defined(__GNUC__)
#define ALCORE_API __attribute__((visibility("default")))
#else
#define ALCORE_API
#endif

#ifdef __cplusplus
#define ALCORE_BEGIN extern "C" {
#define ALCORE_END }
/** First value of a size-first struct: its size, everything else 0. */
#define ALCORE_INIT(type)                                                                          \
    { sizeof(type) }
#else
#define ALCORE_BEGIN
#define ALCORE_END
#define ALCORE_INIT(type)                                                                          \
    { .size = sizeof(type) }
#endif

#endif
