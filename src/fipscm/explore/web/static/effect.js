// The average effect of one column on another, with its interval: the same answer as that of the command.

import { ask } from "./api.js";
import { html } from "./dom.js";
import { screen } from "./store.js";

export function buildEffect(place) {
  const { order } = screen();
  const column = (id, label, at) => html("select", { id, "aria-label": label }, ...order.map((name) => html("option", { value: name, selected: name === at }, name)));
  const treatment = column("effect-of", "cause", order[0]);
  const outcome = column("effect-on", "outcome", order[order.length - 1]);
  const value = (id, label) => html("input", { id, "aria-label": label, size: 7, placeholder: "usual" });
  const treated = value("effect-treated", "set to");
  const control = value("effect-control", "instead of");
  const found = html("div", { class: "found", "aria-live": "polite" });
  const go = html("button", { type: "button", class: "primary", onclick: compare }, "Compare");

  async function compare() {
    go.disabled = true;
    found.replaceChildren(html("p", { class: "hint" }, "Asking the model and its plausible variants …"));
    try {
      const answer = await ask("POST", "/api/effect", { treatment: treatment.value, outcome: outcome.value, treated: asked(treated), control: asked(control) });
      found.replaceChildren(...[answer.text, ...answer.remarks].map((text) => html("p", {}, text)), ...intervals(answer));
    } catch (error) {
      found.replaceChildren(html("p", { class: "trouble" }, error.message));
    } finally {
      go.disabled = false;
    }
  }

  // A number, the name of a level, or nothing: then the model takes the usual value.
  function asked(input) {
    const text = input.value.trim();
    if (text === "") return null;
    return screen().variables[treatment.value].levels || !Number.isFinite(Number(text)) ? text : Number(text);
  }

  // What each method says, as a table, and how far the arms overlap.
  function intervals({ methods, overlap }) {
    if (methods.length < 2) return [];
    const row = ({ method, estimate, low, high }) => html("tr", {}, html("th", { scope: "row" }, method), html("td", {}, String(estimate)), html("td", {}, `${low} to ${high}`));
    const heading = ["method", "estimate", "interval"].map((title) => html("th", { scope: "col" }, title));
    return [html("table", { class: "methods" }, html("thead", {}, html("tr", {}, ...heading)), html("tbody", {}, ...methods.map(row))), ...(overlap === null ? [] : [html("p", { class: "hint" }, `${overlap}.`)])];
  }

  place.replaceChildren(
    html("div", { class: "line" }, html("label", { for: "effect-of" }, "Effect of setting"), treatment, html("label", { for: "effect-treated" }, "to"), treated, html("label", { for: "effect-control" }, "instead of"), control, html("label", { for: "effect-on" }, "on"), outcome, go),
    html("p", { class: "hint" }, "Left empty: the second and the first of two levels, or the upper and the lower quartile. An effect runs along all paths; the slope of an edge is that of one step."),
    found);
}
