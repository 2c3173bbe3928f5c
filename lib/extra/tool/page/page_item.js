/* SPDX-License-Identifier: Apache-2.0 */
/* The current item: its text, what stands beside it, and the editor of the task.
 *
 * An editor is {make(box), show(i), value(i), ready(i), focus(), key(event)}: it fills the box once,
 * shows an item, tells its value, why that cannot be confirmed ("" where it can), takes the focus,
 * and returns whether a key of one letter was its own. */
const editors = {};
const editor = () => editors[asked.task];
const IDLE_SECONDS = 60; /* a pause that is longer counts as this */
let at = 0;
let annotator = "";
let last_active = Date.now();
let seconds_here = 0; /* spent on the current item since it was shown */

/* ---- time ---- */

function count_time() {
  const now = Date.now();
  if (!document.hidden) seconds_here += Math.min((now - last_active) / 1000, IDLE_SECONDS);
  last_active = now;
}

function seconds_of(i) {
  const before = records[i] ? records[i].seconds : 0;
  if (i !== at) return before;
  count_time();
  const seconds = before + seconds_here;
  seconds_here = 0;
  return Math.round(seconds * 10) / 10;
}

/* ---- showing ---- */

function say(text) { by_id("said").textContent = text; }

/* A value of an item as it is read in lists and drafts. */
function readable(i, value) {
  if (asked.task === "classes") return value.split("\t").join(", ");
  if (asked.task !== "spans") return value;
  const points = [...items[i].text];
  return spans_of(value).map(span => span[2] + ": " + points.slice(span[0], span[1]).join("")).join(", ") || "no spans";
}
function shown_value(i) { return readable(i, value_of(i)); }

function show_state() {
  const status = status_of(at), [mark, meaning] = MARKS[status];
  by_id("state").textContent = mark + " " + meaning;
  by_id("comment").textContent = records[at] && records[at].comment ? "“" + records[at].comment + "”" : "";
  by_id("clear").disabled = !records[at];
}

function show_beside(i) {
  const item = items[i];
  by_id("context-box").hidden = !item.context;
  by_id("context").textContent = item.context || "";
  set_language(by_id("context"), item.language || asked.source);
  by_id("draft-box").hidden = !item.draft;
  by_id("draft").textContent = item.draft ? readable(i, item.draft) : "";
  set_language(by_id("draft"), asked.task === "translation" ? asked.target : "");
  const facts = [item.reason, item.group, number(words_of[i]) + (words_of[i] === 1 ? " word" : " words")];
  if (item.score !== undefined) facts.push("score " + Number(item.score.toPrecision(4)));
  by_id("facts").textContent = facts.filter(fact => fact).join(" · ");
}

/* Shows an item; focus: also puts the cursor into its editor. */
function show_item(i, focus) {
  if (!items.length) return;
  if (i !== at) seconds_here = 0, say("");
  last_active = Date.now();
  at = i;
  typing = -1;
  keep("at", items[i].id);
  by_id("which").textContent = "Item " + number(i + 1) + " of " + number(items.length);
  const text = by_id("text");
  set_language(text, items[i].language || asked.source);
  text.textContent = items[i].text;
  show_beside(i);
  editor().show(i);
  by_id("item").scrollTop = 0;
  scroll_to_current();
  draw_rows();
  refill_rows();
  show_state();
  if (focus) editor().focus();
}

function go(step) {
  const i = neighbor(at, step);
  if (i >= 0) show_item(i, true);
  else say(step > 0 ? "This is the last item of the list." : "This is the first item of the list.");
}

/* ---- what a person does ---- */

/* Goes on to what is to be done; told: what was done here. */
function go_on(told) {
  const i = next_open(at);
  if (i >= 0) {
    show_item(i, true);
    say(told + " Item " + number(i + 1) + ".");
  } else {
    say(told + " All items are done: save them as a file.");
    by_id("save").focus();
  }
}

function confirm_item() {
  if (!items.length) return;
  const problem = editor().ready(at);
  if (problem) {
    say(problem);
    editor().focus();
    return;
  }
  answer(at, "ok", editor().value(at), records[at] && !(records[at].status in WITHOUT) ? records[at].comment : "");
  go_on("Confirmed.");
}

function skip_item(status, comment) {
  answer(at, status, undefined, comment);
  go_on(WITHOUT[status][0].toUpperCase() + WITHOUT[status].slice(1) + ".");
}

function use_draft() {
  if (!items[at] || !items[at].draft) return;
  answer(at, "draft", items[at].draft);
  editor().show(at);
  editor().focus();
  say("The draft is in the answer; confirm it when it is right.");
}

function clear_item() {
  clear_record(at);
  editor().show(at);
  editor().focus();
}

function undo(back) {
  const i = back ? step_back(past, future, "before") : step_back(future, past, "after");
  if (i < 0) return say(back ? "There is nothing to undo." : "There is nothing to redo.");
  show_changes();
  show_item(i, true);
  say(back ? "Undone." : "Done again.");
}

/* ---- translations ---- */

editors.translation = {
  make(box) {
    const label = make_element("label", "", "Translation");
    const text = make_element("textarea");
    label.htmlFor = text.id = "answer";
    text.rows = 4;
    text.dir = "auto";
    text.setAttribute("aria-describedby", "text");
    set_language(text, asked.target);
    text.addEventListener("input", () => answer_typed(at, text.value));
    box.append(label, text);
  },
  show(i) { by_id("answer").value = value_of(i); },
  value() { return by_id("answer").value; },
  ready() {
    return by_id("answer").value.trim() === "" ? "Nothing is written yet. If there is no answer, skip the item." : "";
  },
  focus() { by_id("answer").focus(); },
  key(event) {
    if (event.key !== "Enter") return false;
    by_id("answer").focus();
    return true;
  },
};
