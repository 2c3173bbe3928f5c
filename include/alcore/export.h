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
#else
/** Opens the C part of a header in C++. */
#define ALCORE_BEGIN
/** Closes what ALCORE_BEGIN opened. */
#define ALCORE_END
/** First value of a size-first struct: its size, everything else 0. */
#define ALCORE_INIT(type)                                                                          \
    { .size = sizeof(type) }
#endif

/** Whether a member lies within the size that a size-first struct says it has: a struct of an older
 * header ends before the members that were added later. For whoever gets a struct from the other
 * side of the ABI, such as a module that reads options or a host that reads a batch. */
#define ALCORE_STRUCT_HAS(pointer, member)                                                         \
    ((pointer)->size >= (size_t)((const char *)(&(pointer)->member + 1) - (const char *)(pointer)))

#endif
