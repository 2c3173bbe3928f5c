/* SPDX-License-Identifier: Apache-2.0 */
/* The forms of tools, in the order in which the documentation lists them: alcore__tool_NAME each.
 * No guard: tool_forms.c includes it twice. */
ALCORE__TOOL_ROW(page)
ALCORE__TOOL_ROW(xliff)
ALCORE__TOOL_ROW(xliff2)
ALCORE__TOOL_ROW(po)
ALCORE__TOOL_ROW(tmx)
ALCORE__TOOL_ROW(csv)
ALCORE__TOOL_ROW(xlsx)
ALCORE__TOOL_ROW(label_studio)
ALCORE__TOOL_ROW(doccano)
ALCORE__TOOL_ROW(argilla)
ALCORE__TOOL_ROW(prodigy)
ALCORE__TOOL_ROW(potato)
ALCORE__TOOL_ROW(squad)
ALCORE__TOOL_ROW(translations)
ALCORE__TOOL_ROW(conll)
ALCORE__TOOL_ROW(inception)
