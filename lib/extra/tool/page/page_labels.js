/* SPDX-License-Identifier: Apache-2.0 */
/* Labels: one button each with its key, and the editor of classes. */
const LABEL_KEYS = [..."1234567890qwertyiopafghlzxcvbm"]; /* none is a key of page_keys.js */

function label_of_key(event) {
  const key = event.key.toLowerCase(), index = LABEL_KEYS.indexOf(key);
  return index >= 0 && index < labels.length ? labels[index] : undefined;
}

/* Buttons for all labels; chosen(label) is called when one is wanted. */
function make_labels(box, name, chosen) {
  const group = make_element("div", "labels");
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", name);
  labels.forEach((label, index) => {
    const button = make_element("button");
    button.type = "button";
    button.append(make_element("bdi", "", label));
    if (index < LABEL_KEYS.length) button.append(make_element("kbd", "", LABEL_KEYS[index].toUpperCase()));
    button.addEventListener("click", () => chosen(label));
    group.append(button);
  });
  box.append(group);
  return group;
}

let label_buttons = null;
let one_each = false; /* a key confirms its class at once */

function classes_of(i) { return value_of(i) === "" ? [] : value_of(i).split("\t"); }

/* Equal answers have equal values: labels stand in the order in which they are asked. */
function toggle_class(label) {
  const had = classes_of(at), wanted = new Set(had);
  if (one_each) wanted.clear(), wanted.add(label);
  else if (!wanted.delete(label)) wanted.add(label);
  const value = [...labels, ...had.filter(other => !labels.includes(other))]
    .filter(other => wanted.has(other)).join("\t");
  if (one_each) {
    answer(at, "ok", value);
    return go_on(label + ".");
  }
  if (value === "") clear_record(at);
  else answer(at, "draft", value);
  editors.classes.show(at);
}

editors.classes = {
  make(box) {
    label_buttons = make_labels(box, "Classes", toggle_class);
    const label = make_element("label", "choice soft"), check = make_element("input");
    check.type = "checkbox";
    check.id = "one-each";
    check.checked = one_each = kept("one-each") === "1";
    check.addEventListener("change", () => {
      one_each = check.checked;
      keep("one-each", one_each ? "1" : null);
    });
    label.append(check, "One class each: a key confirms it and goes on");
    box.append(label);
  },
  show(i) {
    const chosen = classes_of(i);
    [...label_buttons.children].forEach((button, index) =>
      button.setAttribute("aria-pressed", chosen.includes(labels[index]) ? "true" : "false"));
  },
  value(i) { return value_of(i); },
  ready(i) { return value_of(i) === "" ? "No class is chosen yet." : ""; },
  focus() { by_id("item").focus(); },
  key(event) {
    const label = label_of_key(event);
    if (label !== undefined) toggle_class(label);
    return label !== undefined;
  },
};
