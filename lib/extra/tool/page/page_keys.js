/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and dialogs. Keys of one letter work only outside of text boxes. */
const KEYS = [
  ["Ctrl Enter", "confirm and go on to the next item to do"],
  ["Alt ↓, Alt ↑", "next and previous item"],
  ["Ctrl S", "save the answers as a file"],
  ["Ctrl Z, Ctrl Shift Z", "undo and redo (in a text box: what was typed)"],
  ["Escape", "leave a text box"],
  ["Enter", "go into the text box; confirm, where there are labels"],
  ["J, K", "next and previous item"],
  ["D, Alt Enter", "use the draft (in a text box: Alt Enter)"],
  ["S", "skip, with a reason"],
  ["U", "undo"],
  ["/", "search"],
  ["?", "this list"],
];
const LABEL_HELP = {
  classes: [["1, 2, 3 …", "choose a class"]],
  spans: [["→, ←", "choose words of the text"], ["Shift →", "choose more words"],
    ["Ctrl →", "go by characters"], ["1, 2, 3 …", "give what is chosen a label"]],
  tags: [["→, ←", "choose a word"], ["Shift →", "choose several"], ["1, 2, 3 …", "tag it and go on"]],
};
const REASONS = [
  ["skip", "I cannot answer it"],
  ["untranslatable", "There is nothing to translate: a name, a number, code"],
  ["reject", "The text is no good: broken, in another language, or not to be used"],
];

function is_typing(target) {
  return target.matches("textarea, input:not([type=checkbox], [type=radio]), select");
}

function on_control(event) {
  const key = event.key.toLowerCase(), typed = is_typing(event.target);
  if (key === "enter") confirm_item();
  else if (key === "s") save_file();
  else if (key === "z" && !typed) undo(!event.shiftKey);
  else if (key === "y" && !typed) undo(false);
  else return false;
  return true;
}

const LETTERS = {
  j() { go(1); }, k() { go(-1); }, d: use_draft, s: ask_skip, u() { undo(true); },
  "/"() { by_id("search").focus(); }, "?"() { by_id("help-dialog").showModal(); },
};

/* Keys of one letter, of the editor, and arrows in a text. */
function on_plain(event) {
  const target = event.target;
  if (target.id === "text" && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
    if (asked.task === "tags") move_word(event);
    else move_cursor(event);
    return true;
  }
  if (event.ctrlKey || event.altKey || event.metaKey) return false;
  if (target.matches("button, a, summary, input") && (event.key === "Enter" || event.key === " ")) return false;
  if (target.id === "list") return on_list(event);
  const letter = LETTERS[event.key.toLowerCase()];
  if (letter) letter();
  else if (editor().key(event)) return true;
  else if (event.key === "Enter") confirm_item();
  else return false;
  return true;
}

/* Arrows, Home and End go through the list; Enter goes into the item. */
function on_list(event) {
  const page = Math.max(1, Math.floor(by_id("list").clientHeight / row_height) - 1);
  const line = line_of.get(at) ?? 0, last = listed.length - 1;
  const wanted = {ArrowDown: line + 1, ArrowUp: line - 1, Home: 0, End: last, PageDown: line + page, PageUp: line - page}[event.key];
  if (wanted !== undefined && listed.length) show_item(listed[Math.max(0, Math.min(last, wanted))], false);
  else if (event.key === "Enter") hide_list(), editor().focus();
  else if (LETTERS[event.key.toLowerCase()]) LETTERS[event.key.toLowerCase()]();
  else return false;
  return true;
}

function on_key(event) {
  count_time();
  if (document.querySelector("dialog[open]") || event.isComposing) return;
  let done = false;
  if ((event.ctrlKey || event.metaKey) && !event.altKey) done = on_control(event);
  else if (event.altKey && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    go(event.key === "ArrowDown" ? 1 : -1);
    done = true;
  } else if (event.altKey && event.key === "Enter") {
    use_draft();
    done = true;
  } else if (event.key === "Escape") {
    hide_list();
    by_id("item").focus();
    done = true;
  }
  if (!done && !is_typing(event.target)) done = on_plain(event);
  if (done) event.preventDefault();
}

/* ---- dialogs ---- */

function ask_skip() {
  if (!items.length) return;
  by_id("remark").value = records[at] && records[at].comment ? records[at].comment : "";
  by_id("skip-dialog").showModal();
  by_id("reasons").querySelector("input").checked = true;
  by_id("reasons").querySelector("input").focus();
}

function make_reasons() {
  for (const [status, text] of REASONS) {
    if (status === "untranslatable" && asked.task !== "translation") continue;
    const label = make_element("label", "choice"), radio = make_element("input");
    radio.type = "radio";
    radio.name = "reason";
    radio.value = status;
    label.append(radio, text);
    by_id("reasons").append(label);
  }
}

function ask_name() {
  by_id("name").value = annotator;
  by_id("name-dialog").showModal();
}

/* The name that answers get from now on. */
function show_name(name) {
  annotator = name;
  by_id("who").textContent = name || "no name";
  by_id("who").setAttribute("aria-label", (name || "no name") + ", change the name");
}

/* What the person says; also nothing, which is not asked again. */
function set_name(name) {
  show_name(name);
  keep("name", name);
}

/* A dialog's form does something of ours when Enter or its first button ends it. */
function on_submit(id, act) {
  const dialog = by_id(id);
  dialog.querySelector("form").addEventListener("submit", event => {
    event.preventDefault();
    dialog.close();
    act();
  });
  for (const button of dialog.querySelectorAll("button.close[type=button]"))
    button.addEventListener("click", () => dialog.close());
}

function make_help() {
  for (const [key, meaning] of [...KEYS, ...(LABEL_HELP[asked.task] || [])]) {
    const row = by_id("keys").insertRow(), head = make_element("th");
    head.scope = "row";
    key.split(", ").forEach((part, k) => head.append(...(k ? [" "] : []), make_element("kbd", "", part)));
    row.append(head);
    row.insertCell().textContent = meaning;
  }
}
