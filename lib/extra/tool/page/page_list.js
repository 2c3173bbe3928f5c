/* SPDX-License-Identifier: Apache-2.0 */
/* The list of items. Only the rows that can be seen are in the page: listed[k] is the item of line k
 * of the list, and drawn holds the element of each line that is drawn. */
const MARKS = {open: ["○", "to do"], ok: ["✓", "done"], draft: ["◐", "not confirmed"],
  skip: ["–", "skipped"], reject: ["✕", "rejected"], untranslatable: ["≡", "untranslatable"]};
const SHOWN_CHARACTERS = 160, ROWS_AROUND = 6;
let listed = items.map((item, i) => i);
let line_of = new Map(listed.map((i, k) => [i, k]));
let drawn = new Map();
let row_height = 58;

function first_characters(text) { return text.slice(0, SHOWN_CHARACTERS); }

function make_element(name, class_name, text) {
  const element = document.createElement(name);
  if (class_name) element.className = class_name;
  if (text !== undefined) element.textContent = text;
  return element;
}

function set_language(element, language) {
  if (language && language !== "und") element.lang = language;
  else element.removeAttribute("lang");
}

function fill_row(row, i) {
  const [mark, meaning] = MARKS[status_of(i)];
  const second = value_of(i) !== "" ? shown_value(i) : items[i].reason || "";
  row.className = is_done(i) ? "row done" : "row";
  row.setAttribute("aria-selected", i === at ? "true" : "false");
  row.children[0].textContent = mark;
  row.children[0].setAttribute("aria-label", meaning);
  row.children[1].textContent = number(i + 1);
  row.children[2].textContent = first_characters(items[i].text);
  row.children[3].textContent = first_characters(second);
  set_language(row.children[2], items[i].language || asked.source);
}

function make_row(k) {
  const row = make_element("div", "row");
  row.setAttribute("role", "option");
  row.append(make_element("span", "mark"), make_element("span", "number"),
    make_element("bdi", "first"), make_element("bdi", "second"));
  row.children[0].setAttribute("role", "img");
  row.children[2].dir = row.children[3].dir = "auto";
  row.id = "row-" + listed[k];
  row.setAttribute("aria-setsize", listed.length);
  row.setAttribute("aria-posinset", k + 1);
  row.style.transform = "translateY(" + k * row_height + "px)";
  row.addEventListener("click", () => { show_item(listed[k], false); hide_list(); });
  fill_row(row, listed[k]);
  return row;
}

function draw_rows() {
  const list = by_id("list"), rows = by_id("rows");
  const first = Math.max(0, Math.floor(list.scrollTop / row_height) - ROWS_AROUND);
  const last = Math.min(listed.length, Math.ceil((list.scrollTop + list.clientHeight) / row_height) + ROWS_AROUND);
  for (const [k, row] of drawn)
    if (k < first || k >= last) row.remove(), drawn.delete(k);
  for (let k = first; k < last; k++) {
    if (drawn.has(k)) continue;
    const row = make_row(k);
    drawn.set(k, row);
    rows.append(row);
  }
  mark_current_row();
}

/* A listbox tells readers of screens which option is current; it has to be drawn. */
function mark_current_row() {
  const row = drawn.get(line_of.get(at));
  if (row) by_id("list").setAttribute("aria-activedescendant", row.id);
  else by_id("list").removeAttribute("aria-activedescendant");
}

function redraw_list() {
  for (const row of drawn.values()) row.remove();
  drawn = new Map();
  row_height = parseFloat(getComputedStyle(document.documentElement).fontSize) * 3.6;
  by_id("rows").style.height = listed.length * row_height + "px";
  draw_rows();
}

function refill_rows() {
  for (const [k, row] of drawn) fill_row(row, listed[k]);
  mark_current_row();
}

function scroll_to_current() {
  const k = line_of.get(at), list = by_id("list");
  if (k === undefined || list.clientHeight === 0) return;
  const top = k * row_height;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + row_height > list.scrollTop + list.clientHeight)
    list.scrollTop = top + row_height - list.clientHeight;
}

function matches_filter(i, filter) {
  const status = status_of(i);
  if (filter === "all") return true;
  if (filter === "open") return !is_done(i);
  return filter === "without" ? status in WITHOUT : status === filter;
}

function matches_search(i, wanted) {
  const item = items[i];
  return [item.text, value_of(i), item.draft, item.id, item.group]
    .some(text => text && text.toLowerCase().includes(wanted));
}

function list_items() {
  const filter = by_id("filter").value, wanted = by_id("search").value.trim().toLowerCase();
  listed = [];
  for (let i = 0; i < items.length; i++)
    if (matches_filter(i, filter) && (!wanted || matches_search(i, wanted))) listed.push(i);
  line_of = new Map(listed.map((i, k) => [i, k]));
  by_id("found").textContent = filter === "all" && !wanted ? number(items.length) + " items, the most useful first"
    : number(listed.length) + " of " + number(items.length) + " items";
  redraw_list();
}

/* What has to be drawn anew after records changed. */
function show_changes() {
  if (by_id("filter").value !== "all") list_items();
  else refill_rows();
  const done = counts.ok + counts.without, progress = by_id("progress");
  progress.max = items.length || 1;
  progress.value = done;
  by_id("counts").textContent = number(done) + " of " + number(items.length) + " done" +
    (counts.without ? " (" + number(counts.without) + " skipped)" : "") +
    (counts.draft ? ", " + number(counts.draft) + " not confirmed" : "") + " · " +
    number(counts.words_done) + " words done, " + number(counts.words_left) + " left";
  by_id("undo").disabled = past.length === 0;
  by_id("redo").disabled = future.length === 0;
  show_state();
}

function hide_list() {
  by_id("list-pane").classList.remove("shown");
  by_id("list-button").setAttribute("aria-expanded", "false");
}

function toggle_list() {
  const shown = by_id("list-pane").classList.toggle("shown");
  by_id("list-button").setAttribute("aria-expanded", shown ? "true" : "false");
  if (!shown) return;
  redraw_list();
  scroll_to_current();
  by_id("list").focus();
}

/* The next line of the list from an item on, -1: the one before. */
function neighbor(i, step) {
  const k = line_of.get(i);
  if (k === undefined) {
    const after = listed.filter(other => (step > 0 ? other > i : other < i));
    return after.length ? after[step > 0 ? 0 : after.length - 1] : -1;
  }
  return k + step >= 0 && k + step < listed.length ? listed[k + step] : -1;
}

/* The next item to do behind an item, at the end from the beginning; among the listed ones first. */
function next_open(i) {
  for (const some of [listed, items.map((item, k) => k)]) {
    const open = some.filter(other => other !== i && !is_done(other));
    if (open.length) return open.find(other => other > i) ?? open[0];
  }
  return -1;
}
