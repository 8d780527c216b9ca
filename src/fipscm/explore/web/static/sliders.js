// One card per column, causes first: its distribution before and after, and right under it the slider in the same units.

import { html, roundStep, shown, signed, svg } from "./dom.js";
import { change, release, screen, select, store, subscribe } from "./store.js";

const [WIDTH, HEIGHT] = [300, 52];
let cards = new Map();

export function buildSliders(place) {
  const { order, variables } = screen();
  cards = new Map(order.map((name) => [name, card(name, variables[name])]));
  place.replaceChildren(...[...cards.values()].map(({ element }) => element));
}

subscribe((kind) => {
  if (!screen()) return;
  for (const [name, parts] of cards) {
    if (kind === "question" || kind === "answer") show(name, parts);
    if (kind === "portrait") showRow(name, parts);
    if (kind === "selection") parts.element.classList.toggle("selected", store.selected?.column === name);
  }
});

function card(name, facts) {
  const [start, end] = facts.axis;
  const range = end - start;
  const step = roundStep(range);
  const act = (value) => change(name, kindOf(), kindOf() === "set" ? value : value - facts.mean);
  const kindOf = () => (shift.getAttribute("aria-pressed") === "true" ? "shift" : "set");
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
  const shift = html("button", {
    type: "button", class: "kind", "aria-pressed": "false", title: "Set it to one value for all, or shift everyone by an amount",
    onclick: () => {
      const shifts = kindOf() === "set";
      shift.setAttribute("aria-pressed", String(shifts));
      const now = store.changes.get(name);
      if (now) change(name, shifts ? "shift" : "set", round(shifts ? now.value - facts.mean : now.value + facts.mean, step));
      else show(name, cards.get(name));
    },
  }, "set");
  const back = html("button", { type: "button", class: "back", "aria-label": `${name}: leave it as it is`, title: "Leave it as it is", onclick: () => release(name) }, "×");
  const numbers = html("output", { class: "numbers" });
  const curves = { before: svg("path", { class: "before" }), after: svg("path", { class: "after" }), spike: svg("line", { class: "spike", y1: 4, y2: HEIGHT }), fact: svg("circle", { class: "fact", r: 4, cy: HEIGHT - 7 }), would: svg("path", { class: "would" }) };
  const x = (value) => ((value - start) / range) * WIDTH;
  const plot = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT + 4}`, preserveAspectRatio: "none", class: "plot", "aria-hidden": "true" },
    svg("rect", { class: "rows", x: x(facts.low), width: x(facts.high) - x(facts.low), y: HEIGHT, height: 3, rx: 1.5 }),
    ...Object.values(curves));
  const element = html("article", { class: "variable", "data-column": name },
    html("div", { class: "top" }, html("h3", {}, html("button", { type: "button", class: "name", title: "Show its causes and effects", onclick: () => select({ column: name }) }, name)), shift, typed, back),
    plot, slider,
    html("div", { class: "bottom" }, html("span", { title: "The range of the rows" }, shown(facts.low, range)), numbers, html("span", { title: "The range of the rows" }, shown(facts.high, range))));
  return { element, slider, typed, shift, back, numbers, curves, plot, facts, range, step, x };
}

function show(name, parts) {
  const { element, slider, typed, shift, numbers, curves, facts, range, step, x } = parts;
  const now = store.changes.get(name);
  const after = store.answer?.version === screen().version ? store.answer.after[name] : null;
  if (now) shift.setAttribute("aria-pressed", String(now.kind === "shift"));
  const shifts = shift.getAttribute("aria-pressed") === "true";
  shift.textContent = shifts ? "shift" : "set";
  element.classList.toggle("acted", Boolean(now));
  const at = now ? (now.kind === "set" ? now.value : facts.mean + now.value) : facts.mean;
  slider.value = at;
  slider.setAttribute("aria-valuetext", now ? `${now.kind === "set" ? "set to" : "shifted by"} ${shown(now.value, range)}` : `as it is, average ${shown(facts.mean, range)}`);
  if (document.activeElement !== typed) typed.value = now ? round(now.value, step / 10) : "";
  const far = at < facts.low || at > facts.high;
  element.classList.toggle("far", Boolean(now) && far);
  const moved = after && store.changes.size ? after.mean - facts.mean : 0;
  const visible = Boolean(after) && (Boolean(now) || Math.abs(moved) > 0.005 * (facts.spread || 1) || Math.abs(after.spread - facts.spread) > 0.01 * facts.spread);
  element.classList.toggle("raises", visible && !now && moved > 0);
  element.classList.toggle("lowers", visible && !now && moved < 0);
  const tallest = 1.15 * Math.max(...facts.density) || 1;
  curves.before.setAttribute("d", area(facts.density, tallest));
  const spike = visible && after.spread < 1e-3 * (facts.spread || 1);
  curves.after.setAttribute("d", visible && !spike ? area(after.density, Math.max(tallest, Math.min(2 * tallest, Math.max(...after.density)))) : "");
  curves.spike.toggleAttribute("hidden", !spike);
  if (spike) for (const end of ["x1", "x2"]) curves.spike.setAttribute(end, Math.min(WIDTH, Math.max(0, x(after.mean))));
  numbers.replaceChildren(...(visible
    ? [html("span", {}, `${shown(facts.mean, range)} → `), html("b", { class: "after-mean" }, shown(after.mean, range)), ` (${signed(moved, range)})`]
    : [html("span", {}, "average "), html("b", { class: "after-mean" }, shown(facts.mean, range))]));
}

function showRow(name, { curves, x }) {
  const found = store.portrait?.columns.find(({ column }) => column === name);
  curves.fact.toggleAttribute("hidden", !found);
  curves.would.toggleAttribute("hidden", !found);
  if (!found) return;
  const within = (value) => Math.min(WIDTH, Math.max(0, x(value)));
  curves.fact.setAttribute("cx", within(found.fact));
  const at = within(found.counterfactual);
  curves.would.setAttribute("d", `M${at},${HEIGHT - 13} l5,6 l-5,6 l-5,-6 Z`);
}

function area(density, tallest) {
  const step = WIDTH / (density.length - 1);
  const points = density.map((height, at) => `${(at * step).toFixed(1)},${(HEIGHT - Math.min(1, height / tallest) * (HEIGHT - 4)).toFixed(2)}`);
  return `M0,${HEIGHT} L${points.join(" ")} L${WIDTH},${HEIGHT} Z`;
}

const round = (value, step) => Number((Math.round(value / step) * step).toPrecision(10));
