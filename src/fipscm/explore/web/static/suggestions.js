// What the names of the columns suggest; one click adds it to what is known and fits again.

import { ask } from "./api.js";
import { byId, html } from "./dom.js";
import { store, subscribe } from "./store.js";

export function buildSuggestions(watch) {
  const list = html("ul", {});
  const message = html("p", { class: "trouble", role: "alert", hidden: true });
  const apply = html("button", { type: "button", class: "primary", id: "apply-suggestions", onclick: act }, "Apply");
  const place = byId("suggestions");
  place.replaceChildren(html("h3", {}, "The names of the columns suggest"), list, message, html("div", { class: "line" }, apply, html("span", { class: "hint" }, "If this is right, apply it: the model is fitted again.")));

  async function act() {
    apply.disabled = true;
    try {
      await ask("POST", "/api/suggestions");
      message.hidden = true;
      await watch();
    } catch (error) {
      message.hidden = false;
      message.textContent = error.message;
    }
    show();
  }

  function show() {
    const { suggestions, progress } = store.session;
    place.hidden = suggestions.length === 0;
    apply.disabled = progress !== null;
    list.replaceChildren(...suggestions.map((text) => html("li", {}, text)));
  }

  subscribe((kind) => kind === "session" && show());
}
