/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Symbol visibility and calling convention. Every exported function is marked ALCORE_API. */
#ifndef ALCORE_EXPORT_H
#define ALCORE_EXPORT_H

#if defined(__GNUC__)
/** Marks an exported function. */
#define ALCORE_API __attribute__((visibility("default")))
#else
/** Marks an exported function. */
#define ALCORE_API
#endif

#if defined(__GNUC__)
/** What a number (double) of a struct of options is while it is not set, where its comment says
 * "unset": the library then uses the default. It is a NaN, and every NaN means the same. */
#define ALCORE_UNSET __builtin_nan("")
#else
#include <math.h>
/** What a number (double) of a struct of options is while it is not set, where its comment says
 * "unset": the library then uses the default. It is a NaN, and every NaN means the same. */
#define ALCORE_UNSET ((double)NAN)
#endif
/** The same of an integer; one whose comment does not say "unset" is 0 while it is not set. */
#define ALCORE_UNSET_INT (-2147483647 - 1)

#ifdef __cplusplus
/** Opens the C part of a header in C++. */
#define ALCORE_BEGIN extern "C" {
/** Closes what ALCORE_BEGIN opened. */
#define ALCORE_END }
/** First value of a size-first struct: its size, everything else 0. */
#define ALCORE_INIT(type)                                                                          \
    [] {                                                                                           \
        type alcore_initial{};                                                                     \
        alcore_initial.size = sizeof(type);                                                        \
        return alcore_initial;                                                                     \
    }()
/** The same with one member that begins with another value than 0. */
#define ALCORE_INIT_1(type, a, a_value)                                                            \
    [] {                                                                                           \
        type alcore_first = ALCORE_INIT(type);                                                     \
        alcore_first.a = a_value;                                                                  \
        return alcore_first;                                                                       \
    }()
/** The same with two. */
#define ALCORE_INIT_2(type, a, a_value, b, b_value)                                                \
    [] {                                                                                           \
        type alcore_second = ALCORE_INIT_1(type, a, a_value);                                      \
        alcore_second.b = b_value;                                                                 \
        return alcore_second;                                                                      \
    }()
/** The same with four. */
#define ALCORE_INIT_4(type, a, a_value, b, b_value, c, c_value, d, d_value)                        \
    [] {                                                                                           \
        type alcore_fourth = ALCORE_INIT_2(type, a, a_value, b, b_value);                          \
        alcore_fourth.c = c_value;                                                                 \
        alcore_fourth.d = d_value;                                                                 \
        return alcore_fourth;                                                                      \
    }()
#else
/** Opens the C part of a header in C++. */
#define ALCORE_BEGIN
/** Closes what ALCORE_BEGIN opened. */
#define ALCORE_END
/** First value of a size-first struct: its size, everything else 0. */
#define ALCORE_INIT(type)                                                                          \
    { .size = sizeof(type) }
/** The same with one member that begins with another value than 0. */
#define ALCORE_INIT_1(type, a, a_value)                                                            \
    { .size = sizeof(type), .a = a_value }
/** The same with two. */
#define ALCORE_INIT_2(type, a, a_value, b, b_value)                                                \
    { .size = sizeof(type), .a = a_value, .b = b_value }
/** The same with four. */
#define ALCORE_INIT_4(type, a, a_value, b, b_value, c, c_value, d, d_value)                        \
    { .size = sizeof(type), .a = a_value, .b = b_value, .c = c_value, .d = d_value }
#endif

/** Whether a member lies within the size that a size-first struct says it has: a struct of an older
 * header ends before the members that were added later. For whoever gets a struct from the other
 * side of the ABI, such as a module that reads options or a host that reads a batch. */
#define ALCORE_STRUCT_HAS(pointer, member)                                                         \
    ((pointer)->size >= (size_t)((const char *)(&(pointer)->member + 1) - (const char *)(pointer)))

#endif
