/* SPDX-License-Identifier: Apache-2.0 */
/* What the browser keeps. Every key begins with the name of the batch and the digest of what is
 * asked, so that two pages never mix: browsers keep what all local files write in one place. A
 * record has a key of its own, so that a letter typed costs the same in a batch of any size. */
const KEY = "alcore-page-1 " + asked.batch + " " + asked.digest + " ";
let keeping = true;  /* false: the browser refused */
let unsaved = false; /* something changed since the last file */

function warn_of_refusal(error) {
  keeping = false;
  const why = error && error.name === "QuotaExceededError" ? "its memory for pages is full" : "it does not allow pages to";
  const warning = by_id("warning");
  warning.textContent = "This browser keeps nothing of your work: " + why +
    ". What you do is lost when you close the page, so save it as a file, and often.";
  warning.hidden = false;
}

function keep(name, value) {
  if (!keeping) return;
  try {
    if (value === null) localStorage.removeItem(KEY + name);
    else localStorage.setItem(KEY + name, value);
  } catch (error) {
    warn_of_refusal(error);
  }
}

function kept(name) {
  try {
    return localStorage.getItem(KEY + name);
  } catch (error) {
    warn_of_refusal(error);
    return null;
  }
}

function keep_record(i) {
  keep("item " + items[i].id, records[i] ? JSON.stringify(records[i]) : null);
}

/* The record that a text stands for; null where it is none of ours. */
function parse_record(text) {
  let found;
  try {
    found = JSON.parse(text);
  } catch (error) {
    return null;
  }
  return clean_record(found);
}

/* A copy of a record from outside with the members that a record has, where its status is known and
 * its value is one that this page can show. */
function clean_record(found) {
  if (!found || typeof found !== "object") return null;
  const statuses = ["ok", "draft", "skip", "reject", "untranslatable"];
  if (!statuses.includes(found.status)) return null;
  const record = {status: found.status, time: "", seconds: 0, by: ""};
  for (const name of ["value", "time", "comment", "by"])
    if (typeof found[name] === "string") record[name] = found[name];
  if (Number.isFinite(found.seconds) && found.seconds >= 0) record.seconds = found.seconds;
  if (record.status === "ok" && record.value === undefined) return null;
  return record;
}

function load_records() {
  const probe = "probe";
  keep(probe, "1");
  keep(probe, null);
  for (let i = 0; i < items.length && keeping; i++) {
    const text = kept("item " + items[i].id);
    if (text === null) continue;
    records[i] = parse_record(text);
    count(i, 1);
  }
  unsaved = kept("saved") === null && records.some(record => record !== null);
}

/* Another window with the same page has changed something. */
function take_from_other_window(event) {
  if (!event.key || !event.key.startsWith(KEY + "item ")) return;
  const i = place.get(event.key.slice(KEY.length + 5));
  if (i === undefined) return;
  count(i, -1);
  records[i] = event.newValue === null ? null : parse_record(event.newValue);
  count(i, 1);
  show_changes();
  if (i === at) show_item(at, false);
}
