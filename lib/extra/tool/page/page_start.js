/* SPDX-License-Identifier: Apache-2.0 */
/* Puts everything together when the page is opened. */
function on_click(id, act) { by_id(id).addEventListener("click", act); }

function listen() {
  on_click("undo", () => undo(true));
  on_click("redo", () => undo(false));
  on_click("save", save_file);
  on_click("open", () => by_id("file").click());
  on_click("help", () => by_id("help-dialog").showModal());
  on_click("who", ask_name);
  on_click("list-button", toggle_list);
  on_click("previous", () => go(-1));
  on_click("next", () => go(1));
  on_click("use", use_draft);
  on_click("confirm", confirm_item);
  on_click("skip", ask_skip);
  on_click("clear", clear_item);
  by_id("file").addEventListener("change", event => open_file(event.target));
  by_id("search").addEventListener("input", list_items);
  by_id("filter").addEventListener("change", list_items);
  by_id("list").addEventListener("scroll", draw_rows);
  on_submit("name-dialog", () => { set_name(by_id("name").value.trim()); focus_item(); });
  on_submit("skip-dialog", () => skip_item(by_id("reasons").querySelector(":checked").value, by_id("remark").value.trim()));
  on_submit("help-dialog", () => {});
  by_id("name-dialog").addEventListener("cancel", () => set_name(annotator));
  document.addEventListener("keydown", on_key);
  document.addEventListener("pointerdown", count_time);
  document.addEventListener("visibilitychange", () => { last_active = Date.now(); });
  addEventListener("resize", redraw_list);
  addEventListener("storage", take_from_other_window);
  addEventListener("beforeunload", event => { if (!keeping && unsaved) event.preventDefault(); });
}

function focus_item() { if (items.length) editor().focus(); }

function start() {
  by_id("batch").textContent = asked.batch;
  make_reasons();
  make_help();
  load_records();
  editor().make(by_id("answer-box"));
  listen();
  list_items();
  const there = place.get(kept("at"));
  if (items.length) show_item(there === undefined ? 0 : there, false);
  else by_id("item").hidden = true;
  show_changes();
  const name = kept("name");
  show_name(name === null ? "" : name);
  if (name === null) ask_name();
  else focus_item();
}

start();
