/* SPDX-License-Identifier: Apache-2.0 */
/* Answers as a file, which alcore reads back, and which this page opens again in another browser. */

/* Half of a pair of surrogates is no character: UTF-8 has no bytes for it. */
function whole(text) {
  return text.replace(/[\uD800-\uDBFF][\uDC00-\uDFFF]|[\uD800-\uDFFF]/g, part => (part.length === 2 ? part : "\uFFFD"));
}

/* A value in a file: a translation is a string, classes and tags are a list of strings, spans a list
 * of [begin, end, label] in code points. Tags of which some are not given yet are none. */
function to_saved(value) {
  if (asked.task === "spans") return JSON.parse(value);
  if (asked.task === "classes") return value.split("\t");
  return asked.task === "tags" ? value.split(" ") : value;
}

/* The value that a file has, as records have it; undefined: it is none of this task. */
function from_saved(saved) {
  if (asked.task === "translation") return typeof saved === "string" ? saved : undefined;
  if (!Array.isArray(saved)) return undefined;
  if (asked.task === "spans") return JSON.stringify(spans_of(JSON.stringify(saved)));
  return saved.every(label => typeof label === "string") ? saved.join(asked.task === "tags" ? " " : "\t") : undefined;
}

function saved_answer(i) {
  const record = records[i], answer = {id: items[i].id, text: items[i].text, status: record.status};
  if (record.value !== undefined && record.value !== "") answer.value = to_saved(whole(record.value));
  if (record.time) answer.time = record.time;
  answer.seconds = record.seconds;
  if (record.by) answer.annotator = whole(record.by);
  if (record.comment) answer.comment = whole(record.comment);
  return answer;
}

/* A line for each answer, so that a place in the file can be named. */
function saved_text() {
  const head = {schema: "alcore-page-1", batch: asked.batch, digest: asked.digest, task: asked.task,
    annotator: whole(annotator), saved: new Date().toISOString()};
  const lines = [];
  for (let i = 0; i < items.length; i++)
    if (records[i]) lines.push(JSON.stringify(saved_answer(i)));
  return JSON.stringify(head).slice(0, -1) + ",\"answers\":[\n" + lines.join(",\n") + "\n]}\n";
}

function saved_name() {
  const name = [asked.batch, annotator].filter(part => part).join("-");
  return name.replace(/[^\p{L}\p{N}._-]+/gu, "_").slice(0, 100) + ".json";
}

function save_file() {
  const link = make_element("a");
  link.href = URL.createObjectURL(new Blob([saved_text()], {type: "application/json"}));
  link.download = saved_name();
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  unsaved = false;
  keep("saved", new Date().toISOString());
  const left = items.length - counts.ok - counts.without;
  say("Saved as " + link.download + ": " + number(counts.ok) + " answers, " + number(counts.without) + " skipped" +
    (left ? ", " + number(left) + " still to do." : "."));
}

/* What a saved file says of our items: a later answer replaces an earlier one. */
function changes_of(file) {
  const changes = [];
  let foreign = 0;
  for (const found of file.answers) {
    const i = found && typeof found.id === "string" ? place.get(found.id) : undefined;
    const record = clean_record(found && {...found, by: found.annotator, value: from_saved(found.value)});
    if (i === undefined || !record) foreign++;
    else if (!records[i] || record.time > records[i].time) changes.push({i, before: records[i], after: record});
  }
  return [changes, foreign];
}

async function open_file(input) {
  const chosen = input.files[0];
  input.value = "";
  if (!chosen) return;
  let file;
  try {
    file = JSON.parse(await chosen.text());
  } catch (error) {
    return say(chosen.name + " is not JSON.");
  }
  if (!file || file.schema !== "alcore-page-1" || !Array.isArray(file.answers))
    return say(chosen.name + " is not a file that this page saved.");
  if (file.task !== asked.task) return say(chosen.name + " has answers of another task: " + file.task + ".");
  const [changes, foreign] = changes_of(file);
  if (changes.length) make_step(changes);
  show_item(at, false);
  say(number(changes.length) + " answers were taken from " + chosen.name +
    (foreign ? "; " + number(foreign) + " are of no item here." : "."));
}
