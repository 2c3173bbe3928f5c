/* SPDX-License-Identifier: Apache-2.0 */
/* The forms of tools, in the order in which the documentation lists them: alcore__tool_NAME each.
 * No guard: tool_forms.c includes it twice. */
ALCORE__TOOL_ROW(xliff)
ALCORE__TOOL_ROW(csv)
