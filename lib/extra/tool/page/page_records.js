/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked, and what was answered so far.
 *
 *   items[i]    {id, text, context, draft, reason, group, language, score}, in rank order
 *   records[i]  {status, value, time, seconds, comment, by}, never changed but replaced; null: the
 *               item was not touched. status is as alcore_tool_answer has it, "draft" what was not
 *               confirmed; value is what is saved, spans in code points.
 *   past        lists of {i, before, after}: one for each step that can be undone */
const asked = JSON.parse(document.getElementById("asked").textContent);
const items = asked.items;
const labels = asked.labels || [];
const place = new Map(items.map((item, i) => [item.id, i]));
const records = new Array(items.length).fill(null);
const words_of = items.map(item => split_words(item.text).length);
const past = [], future = [];
const MOST_STEPS = 1000;
const WITHOUT = {skip: "skipped", reject: "rejected", untranslatable: "untranslatable"};
const counts = {ok: 0, without: 0, draft: 0, words_done: 0, words_left: words_of.reduce((a, b) => a + b, 0)};
let typing = -1; /* the item whose last step is typing that goes on; -1: none */

function by_id(id) { return document.getElementById(id); }
/* Words as alcore counts them: what stands between spaces, tabs and line ends. */
function split_words(text) { return text.split(/[ \t\r\n]+/).filter(word => word !== ""); }
function number(value) { return value.toLocaleString("en"); }
function status_of(i) { return records[i] ? records[i].status : "open"; }
function value_of(i) { return records[i] && records[i].value !== undefined ? records[i].value : ""; }
function is_done(i) { return records[i] !== null && records[i].status !== "draft"; }

function count(i, sign) {
  const status = status_of(i);
  if (status === "ok") counts.ok += sign, counts.words_done += sign * words_of[i];
  else if (status in WITHOUT) counts.without += sign;
  else if (status === "draft") counts.draft += sign;
  if (is_done(i)) counts.words_left -= sign * words_of[i];
}

/* Replaces a record everywhere: here, in the browser's memory and on the screen. */
function put(i, record) {
  count(i, -1);
  records[i] = record;
  count(i, 1);
  keep_record(i);
  unsaved = true;
}

/* One step: all its changes are undone together. */
function make_step(changes) {
  for (const change of changes) put(change.i, change.after);
  past.push(changes);
  if (past.length > MOST_STEPS) past.shift();
  future.length = 0;
  typing = -1;
  show_changes();
}

function record_with(i, status, value, comment) {
  const record = {status, time: new Date().toISOString(), seconds: seconds_of(i), by: annotator};
  if (value !== undefined) record.value = value;
  if (comment) record.comment = comment;
  return record;
}

/* Answers an item: value undefined is none. */
function answer(i, status, value, comment) {
  make_step([{i, before: records[i], after: record_with(i, status, value, comment)}]);
}

function clear_record(i) {
  if (records[i]) make_step([{i, before: records[i], after: null}]);
}

/* Typing in one item is one step, until something else happens. What is typed is not confirmed. */
function answer_typed(i, value) {
  const after = value === "" ? null : record_with(i, "draft", value);
  if (typing === i && past.length) {
    past[past.length - 1][0].after = after;
    put(i, after);
    show_changes();
  } else {
    make_step([{i, before: records[i], after}]);
  }
  typing = i;
}

/* Takes the last step of one list back and puts it on the other. Returns the item it was about. */
function step_back(from, to, side) {
  const changes = from.pop();
  if (!changes) return -1;
  for (const change of changes) put(change.i, change[side]);
  to.push(changes);
  typing = -1;
  return changes.length === 1 ? changes[0].i : at;
}
