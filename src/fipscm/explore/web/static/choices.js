// The card of a column with levels: their shares before and after as bars, and a choice of the level to set.

import { html } from "./dom.js";
import { movement, percent } from "./levels.js";
import { change, release, screen, select, store } from "./store.js";

export function choiceCard(name, facts) {
  const choice = html("select", {
    class: "choice", "aria-label": `${name}: set its level`,
    onchange: () => (choice.value === "" ? release(name) : change(name, "set", facts.levels[Number(choice.value)])),
  }, html("option", { value: "" }, "as it is"), ...facts.levels.map((level, at) => html("option", { value: String(at) }, level)));
  const back = html("button", { type: "button", class: "back", "aria-label": `${name}: leave it as it is`, title: "Leave it as it is", onclick: () => release(name) }, "×");
  const numbers = html("output", { class: "numbers" });
  const bars = facts.levels.map((level) => bar(level));
  const element = html("article", { class: "variable with-levels", "data-column": name },
    html("div", { class: "top" }, html("h3", {}, html("button", { type: "button", class: "name", title: "Show its causes and effects", onclick: () => select({ column: name }) }, name)), numbers),
    html("ul", { class: "levels", "aria-label": `${name}: shares of its levels`, tabindex: facts.levels.length > 6 ? 0 : null }, ...bars.map((each) => each.element)),
    html("div", { class: "bottom" }, html("span", {}, facts.missing ? `${facts.kind}, ${percent(facts.missing)} missing` : facts.kind), html("span", { class: "controls" }, choice, back)));
  return { element, choice, numbers, bars, facts };
}

function bar(level) {
  const before = html("i", { class: "share before" });
  const after = html("i", { class: "share after" });
  const figure = html("span", { class: "figure" });
  const marks = html("span", { class: "marks" });
  const element = html("li", {}, html("span", { class: "level", title: level }, marks, level), html("span", { class: "track", "aria-hidden": "true" }, before, after), figure);
  return { element, before, after, figure, marks };
}

export function showChoice(name, { element, choice, numbers, bars, facts }) {
  const now = store.changes.get(name);
  const after = store.answer?.version === screen().version ? store.answer.after[name] : null;
  const moves = movement(facts, after && store.answer.changes.size ? after : null);
  const visible = Boolean(after) && (Boolean(now) || moves.size > 0.005);
  choice.value = now ? String(facts.levels.indexOf(now.value)) : "";
  element.classList.toggle("acted", Boolean(now));
  element.classList.toggle("raises", visible && !now && moves.by > 0);
  element.classList.toggle("lowers", visible && !now && moves.by < 0);
  bars.forEach((each, at) => {
    each.before.style.width = `${100 * facts.shares[at]}%`;
    each.after.style.width = visible ? `${100 * after.shares[at]}%` : "0";
    each.figure.textContent = visible ? `${percent(facts.shares[at])} → ${percent(after.shares[at])}` : percent(facts.shares[at]);
  });
  numbers.replaceChildren(html("span", {}, `${moves.what} `), ...(visible
    ? [html("span", {}, `${moves.before} → `), html("b", { class: "after-mean" }, moves.after)]
    : [html("b", { class: "after-mean" }, moves.before)]));
}

export function showChoiceRow(name, { bars, facts }) {
  const found = store.portrait?.columns.find(({ column }) => column === name);
  bars.forEach((each, at) => {
    const level = facts.levels[at];
    each.marks.textContent = found ? `${found.fact === level ? "○" : ""}${found.counterfactual === level ? "◆" : ""} ` : "";
  });
}
