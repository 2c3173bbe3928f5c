/* SPDX-License-Identifier: Apache-2.0 */
/* Tags: one label for each word. first and last are the words that the next label tags. A word
 * without a tag is "O" where that is a label, as most tag sets have it. */
let tagged = {first: 0, last: 0};

/* The tags of the words of an item, "" where one is not given. */
function tags_of(i) {
  const given = value_of(i) === "" ? [] : value_of(i).split(" ");
  return split_words(items[i].text).map((word, k) => given[k] || "");
}

/* What is not confirmed has two spaces where a word has no tag; an answer has a tag for each. */
function tag_words(label) {
  const tags = tags_of(at), first = Math.min(tagged.first, tagged.last), last = Math.max(tagged.first, tagged.last);
  for (let k = first; k <= last && k < tags.length; k++) tags[k] = label;
  answer(at, "draft", tags.join(" "));
  const next = Math.min(last + 1, tags.length - 1);
  tagged = {first: next, last: next};
  draw_tags(at);
  say_word();
}

function say_word() {
  const words = split_words(items[at].text), tags = tags_of(at);
  const first = Math.min(tagged.first, tagged.last), last = Math.max(tagged.first, tagged.last);
  say(words.slice(first, last + 1).join(" ") + (first === last && tags[first] ? ": " + tags[first] : ""));
}

function draw_tags(i) {
  const box = by_id("text"), tags = tags_of(i);
  const first = Math.min(tagged.first, tagged.last), last = Math.max(tagged.first, tagged.last);
  box.textContent = "";
  split_words(items[i].text).forEach((word, k) => {
    const element = make_element("span", tags[k] ? "word tagged" : "word");
    const shown = make_element("bdi", k >= first && k <= last ? "cursor" : "", word);
    element.append(shown, make_element("span", "tag", tags[k] || (labels.includes("O") ? "O" : "?")));
    element.addEventListener("click", event => {
      tagged = {first: event.shiftKey ? tagged.first : k, last: k};
      draw_tags(at);
    });
    box.append(element, " ");
  });
}

function move_word(event) {
  const forward = getComputedStyle(by_id("text")).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
  const most = split_words(items[at].text).length - 1;
  const last = Math.max(0, Math.min(most, tagged.last + (event.key === forward ? 1 : -1)));
  tagged = {first: event.shiftKey ? tagged.first : last, last};
  draw_tags(at);
  say_word();
}

editors.tags = {
  make(box) {
    make_text_focusable("Words to tag: arrow keys choose a word, Shift several");
    make_labels(box, "Tags", tag_words);
  },
  show(i) {
    tagged = {first: 0, last: 0};
    draw_tags(i);
  },
  value(i) { return tags_of(i).map(tag => tag || "O").join(" "); },
  ready(i) {
    const missing = labels.includes("O") ? 0 : tags_of(i).filter(tag => tag === "").length;
    return missing ? number(missing) + (missing === 1 ? " word has" : " words have") + " no tag yet." : "";
  },
  focus() { by_id("text").focus(); },
  key(event) {
    const label = label_of_key(event);
    if (label !== undefined) tag_words(label);
    return label !== undefined;
  },
};
