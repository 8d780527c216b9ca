// A target asks for a recommendation: the one change of one column that brings its average nearest to a wanted value.

import { ask } from "./api.js";
import { html, shown } from "./dom.js";
import { aimAt, change, releaseAll, screen, store, subscribe } from "./store.js";

let parts = null;

export function buildTarget(place) {
  const columns = store.session.columns.filter((name) => screen().variables[name].kind !== "categorical" || screen().variables[name].levels?.length === 2);
  const target = html("select", { id: "target", onchange: () => aimAt(target.value ? { name: target.value, value: null } : null) }, html("option", { value: "" }, "a column"), ...columns.map((name) => html("option", { value: name }, name)));
  const value = html("input", { type: "number", id: "wanted", step: "any", oninput: () => store.target && aimAt({ ...store.target, value: Number.isFinite(value.valueAsNumber) ? value.valueAsNumber : null }) });
  const using = html("fieldset", { class: "using" }, html("legend", {}, "By changing"), ...columns.map((name) => html("label", {}, html("input", { type: "checkbox", value: name, checked: true }), name)));
  const go = html("button", { type: "button", class: "primary", onclick: recommend }, "Recommend");
  const found = html("div", { class: "found", "aria-live": "polite" });
  place.replaceChildren(
    html("div", { class: "line" }, html("label", { for: "target" }, "I want the average of"), target, html("label", { for: "wanted" }, "to be"), value, go),
    using, found);
  parts = { target, value, using, go, found };
  show();
}

subscribe((kind) => {
  if (parts && kind === "question") show();
});

function show() {
  const { target, value, go, using } = parts;
  target.value = store.target?.name ?? "";
  const facts = store.target && screen().variables[store.target.name];
  if (document.activeElement !== value) value.value = store.target?.value ?? "";
  value.placeholder = facts ? `now ${shown(facts.mean, facts.axis[1] - facts.axis[0])}` : "";
  go.disabled = !store.target || store.target.value === null;
  for (const label of using.querySelectorAll("label")) label.hidden = label.firstElementChild.value === store.target?.name;
}

async function recommend() {
  const { using, go, found } = parts;
  const names = [...using.querySelectorAll("input:checked")].map((box) => box.value).filter((name) => name !== store.target.name);
  go.disabled = true;
  found.replaceChildren(html("p", { class: "hint" }, "Trying values of every cause …"));
  try {
    const answer = await ask("POST", "/api/recommend", { target: store.target.name, value: store.target.value, using: names });
    const { axis, levels } = screen().variables[answer.column];
    const { axis: other } = screen().variables[store.target.name];
    const near = Math.abs(answer.expected - store.target.value) <= Math.abs(other[1] - other[0]) / 100;
    found.replaceChildren(
      html("p", {}, "Set ", html("b", {}, answer.column), " to ", html("b", {}, levels ? answer.setting : shown(answer.setting, axis[1] - axis[0])), `: the average of ${store.target.name} goes from ${shown(answer.present, other[1] - other[0])} to `, html("b", {}, shown(answer.expected, other[1] - other[0])), near ? "." : ", as near as one change among the values in the rows can bring it."),
      html("button", { type: "button", onclick: () => { releaseAll(); change(answer.column, "set", answer.setting); } }, "Show it on the sliders"));
  } catch (error) {
    found.replaceChildren(html("p", { class: "trouble" }, error.message));
  } finally {
    go.disabled = false;
  }
}
