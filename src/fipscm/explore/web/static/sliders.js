// One card per column, causes first: its distribution before and after, and right under it the slider in the same units.

import { html, roundStep, shown, signed, svg } from "./dom.js";
import { choiceCard, showChoice, showChoiceRow } from "./choices.js";
import { change, release, screen, select, store, subscribe } from "./store.js";

const [WIDTH, HEIGHT] = [300, 52];
let cards = new Map();

export function buildSliders(place) {
  const { order, variables } = screen();
  cards = new Map(order.map((name) => [name, variables[name].levels ? choiceCard(name, variables[name]) : card(name, variables[name])]));
  place.replaceChildren(...[...cards.values()].map(({ element }) => element));
}

subscribe((kind) => {
  if (!screen()) return;
  for (const [name, parts] of cards) {
    const levels = Boolean(parts.choice);
    if (kind === "question" || kind === "answer") (levels ? showChoice : show)(name, parts);
    if (kind === "portrait") (levels ? showChoiceRow : showRow)(name, parts);
    if (kind === "selection") parts.element.classList.toggle("selected", store.selected?.column === name);
  }
});

function card(name, facts) {
  const [start, end] = facts.axis;
  const range = end - start;
  const ends = facts.kind === "count" ? 100 : range; // counts are whole numbers
  const step = facts.kind === "count" ? Math.max(1, Math.round(roundStep(range))) : roundStep(range);
  const act = (value) => change(name, kindOf(), kindOf() === "set" ? value : value - facts.mean);
  const kindOf = () => (kinds[1].getAttribute("aria-pressed") === "true" ? "shift" : "set");
  const slider = html("input", {
    type: "range", min: start, max: end, step: "any", "aria-label": `${name}: set its value`,
    oninput: () => act(Math.round(slider.valueAsNumber / step) * step),
    onkeydown: (event) => {
      const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
      if (by) {
        event.preventDefault();
        const next = Math.min(end, Math.max(start, slider.valueAsNumber + by * step));
        act(Number((Math.round(next / step) * step).toPrecision(12)));
      } else if (event.key === "Escape" || event.key === "Delete") release(name);
    },
  });
  const typed = html("input", {
    type: "number", step: "any", inputmode: "decimal", "aria-label": `${name}: value`, placeholder: "as it is",
    onchange: () => (typed.value === "" ? release(name) : Number.isFinite(typed.valueAsNumber) && change(name, kindOf(), typed.valueAsNumber)),
  });
  const kinds = ["set", "shift"].map((kind) => html("button", {
    type: "button", "aria-pressed": String(kind === "set"), "aria-label": `${name}: ${kind}`,
    title: kind === "set" ? "One value for everyone" : "Everyone is moved by the same amount",
    onclick: () => turnTo(kind),
  }, kind));
  const turnTo = (kind) => {
    const now = store.changes.get(name);
    press(kinds, kind);
    if (now && now.kind !== kind) change(name, kind, round(now.value + (kind === "set" ? facts.mean : -facts.mean), step));
  };
  const back = html("button", { type: "button", class: "back", "aria-label": `${name}: leave it as it is`, title: "Leave it as it is", onclick: () => release(name) }, "×");
  const numbers = html("output", { class: "numbers" });
  const curves = { before: svg("path", { class: "before" }), after: svg("path", { class: "after" }), outline: svg("path", { class: "outline" }), spike: svg("line", { class: "spike", y1: 4, y2: HEIGHT }) };
  const marks = { fact: html("i", { class: "mark fact", title: "The row that was picked", hidden: true }), would: html("i", { class: "mark would", title: "What it would have been", hidden: true }) };
  const x = (value) => ((value - start) / range) * WIDTH;
  const plot = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT + 4}`, preserveAspectRatio: "none", class: "plot", "aria-hidden": "true" },
    svg("rect", { class: "rows", x: x(facts.low), width: x(facts.high) - x(facts.low), y: HEIGHT, height: 3, rx: 1.5 }),
    ...Object.values(curves));
  const element = html("article", { class: "variable", "data-column": name },
    html("div", { class: "top" }, html("h3", {}, html("button", { type: "button", class: "name", title: "Show its causes and effects", onclick: () => select({ column: name }) }, name)), numbers),
    html("div", { class: "axis" }, plot, marks.fact, marks.would), slider,
    html("div", { class: "bottom" }, html("span", { title: "The lowest value in the rows" }, shown(facts.low, ends)), html("span", { class: "controls" }, html("span", { class: "kinds" }, ...kinds), typed, back), html("span", { title: "The highest value in the rows" }, shown(facts.high, ends))));
  return { element, slider, typed, kinds, numbers, curves, marks, facts, range, step, x };
}

function show(name, parts) {
  const { element, slider, typed, kinds, numbers, curves, facts, range, step, x } = parts;
  const now = store.changes.get(name);
  const after = store.answer?.version === screen().version ? store.answer.after[name] : null;
  if (now) press(kinds, now.kind);
  element.classList.toggle("acted", Boolean(now));
  const at = now ? (now.kind === "set" ? now.value : facts.mean + now.value) : facts.mean;
  slider.value = at;
  slider.setAttribute("aria-valuetext", now ? `${now.kind === "set" ? "set to" : "shifted by"} ${shown(now.value, range)}` : `as it is, average ${shown(facts.mean, range)}`);
  if (document.activeElement !== typed) typed.value = now ? round(now.value, step / 10) : "";
  const far = at < facts.low || at > facts.high;
  element.classList.toggle("far", Boolean(now) && far);
  const moved = after && store.answer.changes.size ? after.mean - facts.mean : 0;
  const visible = Boolean(after) && (Boolean(now) || Math.abs(moved) > 0.005 * (facts.spread || 1) || Math.abs(after.spread - facts.spread) > 0.01 * facts.spread);
  element.classList.toggle("raises", visible && !now && moved > 0);
  element.classList.toggle("lowers", visible && !now && moved < 0);
  const tallest = 1.15 * Math.max(...facts.density) || 1;
  curves.before.setAttribute("d", closed(line(facts.density, tallest)));
  const spike = visible && after.spread < 1e-3 * (facts.spread || 1);
  const top = visible && !spike ? line(after.density, Math.max(tallest, Math.min(2 * tallest, Math.max(...after.density)))) : "";
  curves.after.setAttribute("d", top && closed(top));
  curves.outline.setAttribute("d", top);
  curves.spike.toggleAttribute("hidden", !spike);
  if (spike) for (const end of ["x1", "x2"]) curves.spike.setAttribute(end, Math.min(WIDTH, Math.max(0, x(after.mean))));
  numbers.replaceChildren(...(visible
    ? [html("span", {}, `${shown(facts.mean, range)} → `), html("b", { class: "after-mean" }, shown(after.mean, range)), ` (${signed(moved, range)})`]
    : [html("span", {}, "average "), html("b", { class: "after-mean" }, shown(facts.mean, range))]));
}

function showRow(name, { marks, x }) {
  const found = store.portrait?.columns.find(({ column }) => column === name);
  for (const [mark, value] of [[marks.fact, found?.fact], [marks.would, found?.counterfactual]]) {
    mark.hidden = !found || value === null; // a cell may be missing
    if (!mark.hidden) mark.style.left = `${Math.min(100, Math.max(0, (100 * x(value)) / WIDTH))}%`;
  }
}

function press(kinds, kind) {
  kinds.forEach((button) => button.setAttribute("aria-pressed", String(button.textContent === kind)));
}

function line(density, tallest) {
  const step = WIDTH / (density.length - 1);
  const points = density.map((height, at) => `${(at * step).toFixed(1)},${(HEIGHT - Math.min(1, height / tallest) * (HEIGHT - 4)).toFixed(2)}`);
  return `M${points.join(" L")}`;
}

const closed = (path) => `${path} L${WIDTH},${HEIGHT} L0,${HEIGHT} Z`;

const round = (value, step) => Number((Math.round(value / step) * step).toPrecision(10));
