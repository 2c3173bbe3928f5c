/* SPDX-License-Identifier: Apache-2.0 */
/* Spans: parts of the text with labels. Inside the page they are [begin, end, label] in UTF-16 code
 * units, as JavaScript's strings and the browser's selections count; the value has code points. The
 * cursor {anchor, head} is the part that the next label marks. */
let cursor = {anchor: 0, head: 0};

function to_points(text, units) { return [...text.slice(0, units)].length; }
function to_units(text, points) { return [...text].slice(0, points).join("").length; }

/* The spans of a value, in code points; whatever is none is left out. */
function spans_of(value) {
  let found;
  try {
    found = JSON.parse(value || "[]");
  } catch (error) {
    return [];
  }
  if (!Array.isArray(found)) return [];
  return found.filter(span => Array.isArray(span) && Number.isInteger(span[0]) && Number.isInteger(span[1]) &&
    span[0] >= 0 && span[0] < span[1] && typeof span[2] === "string");
}

function unit_spans(i) {
  const text = items[i].text, length = [...text].length;
  return spans_of(value_of(i)).filter(span => span[1] <= length)
    .map(span => [to_units(text, span[0]), to_units(text, span[1]), span[2]]);
}

function set_spans(spans) {
  const text = items[at].text;
  spans.sort((a, b) => a[0] - b[0] || a[1] - b[1] || (a[2] < b[2] ? -1 : a[2] > b[2] ? 1 : 0));
  answer(at, "draft", JSON.stringify(spans.map(span => [to_points(text, span[0]), to_points(text, span[1]), span[2]])));
  draw_spans(at);
}

/* The cursor as a part of the text without the spaces at its ends. */
function marked_part() {
  const text = items[at].text;
  let begin = Math.min(cursor.anchor, cursor.head), end = Math.max(cursor.anchor, cursor.head);
  while (begin < end && /\s/.test(text[begin])) begin++;
  while (end > begin && /\s/.test(text[end - 1])) end--;
  return [begin, end];
}

/* On a screen that is touched, a part is selected without a mouse that would tell. */
function mark_span(label) {
  take_selection();
  const [begin, end] = marked_part();
  if (begin === end) return say("Mark a part of the text first, with the mouse or with Shift and the arrow keys.");
  const spans = unit_spans(at), same = spans.findIndex(span => span[0] === begin && span[1] === end && span[2] === label);
  if (same >= 0) spans.splice(same, 1);
  else spans.push([begin, end, label]);
  set_spans(spans);
  say(label + (same >= 0 ? " is no more: " : ": ") + items[at].text.slice(begin, end));
}

/* Cuts the text where a span or the cursor begins or ends, and draws each piece. */
function draw_spans(i) {
  const text = items[i].text, spans = unit_spans(i), [from, to] = marked_part(), box = by_id("text");
  const cuts = [...new Set([0, text.length, from, to, ...spans.flatMap(span => [span[0], span[1]])])].sort((a, b) => a - b);
  box.textContent = "";
  for (let k = 0; k + 1 < cuts.length; k++) {
    const inside = spans.filter(span => span[0] <= cuts[k] && span[1] >= cuts[k + 1]);
    let piece = make_element(inside.length ? "mark" : "span", "", text.slice(cuts[k], cuts[k + 1]));
    if (inside.length) piece.classList.add("look-" + Math.max(0, labels.indexOf(inside[inside.length - 1][2])) % 6);
    if (cuts[k] >= from && cuts[k + 1] <= to) piece.classList.add("cursor");
    for (const span of inside.filter(one => one[1] === cuts[k + 1])) {
      const tag = make_element("span", "tag", span[2]);
      tag.setAttribute("aria-hidden", "true");
      piece.append(tag);
    }
    box.append(piece);
  }
  list_spans(i, spans);
}

function list_spans(i, spans) {
  const list = by_id("spans");
  list.textContent = "";
  spans.forEach((span, k) => {
    const line = make_element("li"), part = make_element("span"), remove = make_element("button", "quiet", "Remove");
    part.append(make_element("b", "", span[2]), ": ", make_element("bdi", "", items[i].text.slice(span[0], span[1])));
    remove.type = "button";
    remove.setAttribute("aria-label", "Remove " + part.textContent);
    remove.addEventListener("click", () => {
      set_spans(unit_spans(at).filter((other, index) => index !== k));
      editors.spans.focus();
    });
    line.append(part, remove);
    list.append(line);
  });
}

/* How many units of the text stand before a place of the drawn text; labels in it do not count. */
function units_before(node, offset) {
  const box = by_id("text"), range = document.createRange();
  range.setStart(box, 0);
  range.setEnd(node, offset);
  const part = range.cloneContents();
  for (const tag of part.querySelectorAll(".tag")) tag.remove();
  return part.textContent.length;
}

function take_selection() {
  const selection = getSelection(), box = by_id("text");
  if (selection.isCollapsed || !box.contains(selection.anchorNode) || !box.contains(selection.focusNode)) return;
  cursor = {anchor: units_before(selection.anchorNode, selection.anchorOffset),
    head: units_before(selection.focusNode, selection.focusOffset)};
  selection.removeAllRanges();
  draw_spans(at);
}

/* Where the cursor comes to from a place: the next end or beginning of a word, or one character. */
function move_place(text, place, step, by_character) {
  const points = [...text.slice(step > 0 ? place : 0, step > 0 ? undefined : place)];
  if (step < 0) points.reverse();
  let moved = 0, met = false;
  for (const point of points) {
    if (!by_character && met && /\s/.test(point)) break;
    met = met || !/\s/.test(point);
    moved += point.length;
    if (by_character) break;
  }
  return place + step * moved;
}

/* Arrow keys go the way in which the text is read. */
function move_cursor(event) {
  const forward = getComputedStyle(by_id("text")).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
  const step = event.key === forward ? 1 : -1, text = items[at].text;
  if (event.shiftKey) {
    cursor.head = move_place(text, cursor.head, step, event.ctrlKey);
  } else {
    const from = step > 0 ? Math.max(cursor.anchor, cursor.head) : Math.min(cursor.anchor, cursor.head);
    const head = move_place(text, from, step, event.ctrlKey);
    cursor = step > 0 ? {anchor: from, head} : {anchor: head, head: from};
  }
  draw_spans(at);
  say(text.slice(...marked_part()));
}

function make_text_focusable(name) {
  const text = by_id("text");
  text.tabIndex = 0;
  text.setAttribute("role", "application");
  text.setAttribute("aria-label", name);
}

editors.spans = {
  make(box) {
    make_text_focusable("Text to mark: arrow keys choose words, Shift extends, Control goes by characters");
    document.addEventListener("mouseup", take_selection);
    make_labels(box, "Labels", mark_span);
    const list = make_element("ul", "spans");
    list.id = "spans";
    list.setAttribute("aria-label", "Spans");
    box.append(list);
  },
  show(i) {
    cursor = {anchor: 0, head: 0};
    draw_spans(i);
  },
  value(i) { return value_of(i) || "[]"; },
  ready() { return ""; },
  focus() { by_id("text").focus(); },
  key(event) {
    const label = label_of_key(event);
    if (label !== undefined) mark_span(label);
    return label !== undefined;
  },
};
