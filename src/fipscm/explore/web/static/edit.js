// What the expert knows: edges to require, forbid or turn, tiers, hidden common causes, kinds of columns; then one click refits.

import { ask } from "./api.js";
import { fill, html, shown, signed } from "./dom.js";
import { legendOfChanges } from "./graph.js";
import { saved, screen, store, subscribe, tell } from "./store.js";

const KINDS = ["continuous", "count", "ordinal", "binary", "categorical"];
let parts = null;
const same = ([one, other], cause, effect) => one === cause && other === effect;
const without = (pairs, cause, effect) => pairs.filter((pair) => !same(pair, cause, effect));
const withEdge = (pairs, cause, effect) => [...without(pairs, cause, effect), [cause, effect]];

export function buildEdit(place, watch) {
  const { columns } = store.session;
  const choices = (id, label) => html("select", { id, "aria-label": label, onchange: showPicked }, html("option", { value: "" }, label), ...columns.map((name) => html("option", { value: name }, name)));
  const cause = choices("edit-cause", "cause");
  const effect = choices("edit-effect", "effect");
  const facts = html("p", { class: "hint", id: "edge-facts" });
  const action = (label, title, act) => html("button", { type: "button", title, onclick: () => cause.value && effect.value && save(act(cause.value, effect.value)) }, label);
  const actions = html("div", { class: "line actions" },
    action("Forbid", "This edge is not there", (a, b) => ({ ...edits(), forbidden: withEdge(edits().forbidden, a, b), required: without(edits().required, a, b) })),
    action("Require", "This edge is there for certain", (a, b) => ({ ...edits(), required: withEdge(edits().required, a, b), forbidden: without(edits().forbidden, a, b) })),
    action("Turn round", "The effect is the cause", (a, b) => ({ ...edits(), required: withEdge(without(edits().required, a, b), b, a), forbidden: without(withEdge(edits().forbidden, a, b), b, a) })),
    action("Hidden common cause", "Something unmeasured causes both", (a, b) => ({ ...edits(), hidden: withEdge(without(edits().hidden, b, a), a, b) })));
  const column = html("select", { id: "tier-column", "aria-label": "column" }, ...columns.map((name) => html("option", { value: name }, name)));
  const tier = html("select", { id: "tier-number", "aria-label": "tier" });
  const tierHint = html("span", { class: "hint" });
  const put = html("button", { type: "button", onclick: () => save({ ...edits(), tiers: moved(column.value, Number(tier.value)) }) }, "Put");
  const kinds = html("div", { class: "using" }, ...columns.map((name) => kindOf(name)));
  const list = html("ul", { class: "chips", "aria-label": "Your edits" });
  const refit = html("button", { type: "button", class: "primary", id: "refit", onclick: () => call("POST", "/api/refit") }, "Refit on this knowledge");
  const cancel = html("button", { type: "button", class: "quiet", id: "cancel", onclick: () => call("DELETE", "/api/refit") }, "Cancel");
  const bar = html("div", { class: "bar", role: "progressbar", "aria-label": "Progress of the fit", "aria-valuemin": 0, "aria-valuemax": 100 }, html("i"));
  const stage = html("span", { class: "hint", "aria-live": "polite" });
  const message = html("p", { class: "trouble", role: "alert", hidden: true });
  const changes = html("div", { "aria-live": "polite" });

  async function save(edited) {
    try {
      saved(await ask("PUT", "/api/edits", edited));
      message.hidden = true;
    } catch (error) {
      message.hidden = false;
      message.textContent = error.message;
    }
    tell("session");
  }

  async function call(method, path) {
    try {
      await ask(method, path);
      message.hidden = true;
      await watch();
    } catch (error) {
      message.hidden = false;
      message.textContent = error.message;
    }
  }

  function kindOf(name) {
    const chosen = html("select", { "data-column": name, "aria-label": `${name}: kind`, onchange: () => save({ ...edits(), kinds: { ...edits().kinds, [name]: chosen.value } }) }, ...KINDS.map((kind) => html("option", { value: kind }, kind)));
    return html("label", {}, name, chosen);
  }

  place.replaceChildren(
    html("p", { class: "hint" }, "Click an edge of the graph, or name two columns."),
    html("div", { class: "line" }, cause, html("span", { "aria-hidden": "true" }, "→"), effect), facts, actions,
    html("div", { class: "line" }, html("label", { for: "tier-column" }, "Tiers:"), column, html("span", {}, "in"), tier, put, tierHint),
    html("details", {}, html("summary", {}, "Kinds of columns"), kinds),
    message, list,
    html("div", { class: "line" }, refit, cancel, stage), bar, changes);
  parts = { cause, effect, facts, tier, tierHint, kinds, list, refit, cancel, bar, stage, changes, save };
  show();
}

subscribe((kind) => {
  if (!parts || !screen()) return;
  if (kind === "selection" && store.selected?.effect) {
    parts.cause.value = store.selected.cause;
    parts.effect.value = store.selected.effect;
    showPicked();
  }
  if (kind === "session") show();
});

const edits = () => store.session.edits;

function showPicked() {
  const { cause, effect, facts } = parts;
  const edge = screen().edges.find((each) => each.cause === cause.value && each.effect === effect.value);
  if (!edge) {
    facts.textContent = cause.value && effect.value ? "The model has no such edge." : "";
    return;
  }
  const { axis, levels } = screen().variables[effect.value];
  const evidence = `evidence ${shown(edge.score, 100)}`;
  const sure = edge.confidence === null ? "" : `${Math.round(100 * edge.confidence)} %`;
  if (!edge.directed) {
    facts.textContent = `Direction open: ${sure} for ${cause.value} first · ${evidence}`;
    return;
  }
  const perUnit = levels || screen().variables[cause.value].levels ? "" : `Average slope along this edge alone: ${signed(edge.weight, axis[1] - axis[0])} per unit of ${cause.value} · `;
  facts.textContent = `${perUnit}${evidence}${sure && ` · direction ${sure}`}`;
}

function moved(column, tier) {
  const tiers = edits().tiers.map((names) => names.filter((name) => name !== column));
  if (tier > 0) (tiers[tier - 1] ??= []).push(column);
  return tiers.filter((names) => names.length);
}

// Grades may be told by their names, the lowest first, which only the command line and Python can.
function toldKind(kind) {
  return kind?.includes("<") ? "ordinal" : kind;
}

function show() {
  const { tier, tierHint, kinds, list, refit, cancel, bar, stage, changes, save } = parts;
  const { required, forbidden, hidden, tiers, roots, leaves, kinds: told } = edits();
  for (const chosen of kinds.querySelectorAll("select")) chosen.value = toldKind(told[chosen.dataset.column]) ?? screen().variables[chosen.dataset.column].kind;
  const chosen = tier.value;
  tier.replaceChildren(html("option", { value: "0" }, "no tier"), ...[...tiers, []].map((_, at) => html("option", { value: String(at + 1) }, `tier ${at + 1}`)));
  tier.value = chosen && Number(chosen) <= tiers.length + 1 ? chosen : "1";
  tierHint.textContent = tiers.length === 1 ? "one tier alone says nothing yet: put what comes later into tier 2" : "nothing in a later tier causes anything in an earlier one";
  const chip = (kind, text, edited) => html("li", { class: `chip ${kind}` }, html("span", {}, text), html("button", { type: "button", class: "back", "aria-label": `Take back: ${text}`, onclick: () => save(edited) }, "×"));
  list.replaceChildren(
    ...required.map(([a, b]) => chip("required", `${a} → ${b} required`, { ...edits(), required: without(required, a, b) })),
    ...forbidden.map(([a, b]) => chip("forbidden", `${a} → ${b} forbidden`, { ...edits(), forbidden: without(forbidden, a, b) })),
    ...hidden.map(([a, b]) => chip("hidden", `${a} ↔ ${b} hidden common cause: the model still assumes none, so doubt what it says between them`, { ...edits(), hidden: without(hidden, a, b) })),
    ...roots.map((name) => chip("tier", `${name} has no causes`, { ...edits(), roots: roots.filter((other) => other !== name) })),
    ...leaves.map((name) => chip("tier", `${name} has no effects`, { ...edits(), leaves: leaves.filter((other) => other !== name) })),
    ...tiers.flatMap((names, at) => names.map((name) => chip("tier", `${name} in tier ${at + 1}`, { ...edits(), tiers: moved(name, 0) }))),
    ...Object.entries(told).map(([name, kind]) => chip("tier", `${name} is ${kind}`, { ...edits(), kinds: Object.fromEntries(Object.entries(told).filter(([other]) => other !== name)) })));
  const { progress, failure } = store.session;
  refit.disabled = progress !== null;
  cancel.hidden = progress === null;
  fill(bar, progress);
  stage.textContent = progress ? `${progress.stage} ${progress.note}` : failure ?? "";
  const differs = legendOfChanges();
  changes.replaceChildren(...(screen().version === 1 ? [] : [html("h4", {}, differs.length ? "What changed" : "The refit found the same edges."), html("ul", { class: "changes" }, ...differs)]));
}
