// One row of the table: what is unusual about it, and what it would have been.

import { html, shown, signed } from "./dom.js";
import { pickRow, screen, store, subscribe } from "./store.js";

let parts = null;

export function buildRow(place) {
  const last = store.session.rows - 1;
  const number = html("input", { type: "number", id: "row", min: 0, max: last, step: 1, placeholder: `0 … ${last}`, onchange: () => pickRow(number.value === "" ? null : Math.min(last, Math.max(0, Math.round(number.valueAsNumber)))) });
  const step = (by) => () => pickRow(Math.min(last, Math.max(0, (store.row ?? (by > 0 ? -1 : 1)) + by)));
  const unusual = html("span", { class: "chips" });
  const known = html("span", { class: "line" }, html("span", { class: "hint" }, "most unusual:"), unusual);
  const reasons = html("div", { class: "reasons", "aria-live": "polite" });
  const table = html("div", { class: "scrolls" });
  place.replaceChildren(
    html("div", { class: "line" },
      html("label", { for: "row" }, "Row"), html("button", { type: "button", class: "quiet", "aria-label": "Previous row", onclick: step(-1) }, "‹"), number, html("button", { type: "button", class: "quiet", "aria-label": "Next row", onclick: step(1) }, "›"),
      html("button", { type: "button", class: "quiet", onclick: () => pickRow(null) }, "None"),
      known),
    reasons, table);
  parts = { number, known, unusual, reasons, table };
  show();
}

subscribe((kind) => {
  if (parts && (kind === "portrait" || kind === "session" || kind === "question")) show();
});

function show() {
  const { number, known, unusual, reasons, table } = parts;
  if (document.activeElement !== number) number.value = store.row ?? "";
  known.hidden = store.session.unusual.length === 0;
  unusual.replaceChildren(...store.session.unusual.map((row) => html("button", { type: "button", class: "chip", "aria-pressed": String(store.row === row), onclick: () => pickRow(row) }, String(row))));
  const found = store.row === null ? null : store.portrait;
  if (!found) {
    reasons.replaceChildren(html("p", { class: "hint" }, store.row === null ? "Pick a row: see why it is unusual, and what it would have been under your sliders." : `Looking at row ${store.row} …`));
    table.replaceChildren();
    return;
  }
  reasons.replaceChildren(...found.reasons.map((reason) => html("p", {}, reason)));
  const { variables, order } = screen();
  const lines = new Map(found.columns.map((each) => [each.column, each]));
  table.replaceChildren(html("table", {},
    html("caption", {}, store.changes.size ? `Row ${store.row}: ○ the fact, and ◆ what it would have been` : `Row ${store.row}, ○: move a slider to see what it would have been`),
    html("thead", {}, html("tr", {}, ...["column", "fact", "would be", "difference", "noise, in sd"].map((title) => html("th", { scope: "col" }, title)))),
    html("tbody", {}, ...order.map((name) => line(lines.get(name), variables[name])))));
}

function line({ column, fact, counterfactual, deviations }, { axis, levels }) {
  const range = axis[1] - axis[0];
  if (levels || fact === null || deviations === null) return plainLine(column, fact, counterfactual, deviations, levels ? (level) => level : (value) => shown(value, range));
  const by = counterfactual - fact;
  const moves = Math.abs(by) > range / 1000;
  const bar = html("i", { class: deviations > 0 ? "bar-high" : "bar-low" });
  bar.style.width = `${Math.min(40, 10 * Math.abs(deviations))}px`;
  return html("tr", { class: moves ? (by > 0 ? "raises" : "lowers") : "" },
    html("th", { scope: "row" }, column),
    html("td", {}, shown(fact, range)),
    html("td", { class: "counterfactual" }, shown(counterfactual, range)),
    html("td", {}, moves ? signed(by, range) : ""),
    html("td", { class: Math.abs(deviations) >= 2 ? "unusual" : "" }, bar, signed(deviations, 10)));
}

// Of a column with levels or counts, or of a cell that is missing: no difference in numbers, perhaps no noise.
function plainLine(column, fact, counterfactual, deviations, written) {
  const changed = fact !== null && fact !== counterfactual;
  return html("tr", { class: changed ? "raises" : "" },
    html("th", { scope: "row" }, column),
    html("td", {}, fact === null ? "missing" : written(fact)),
    html("td", { class: "counterfactual" }, written(counterfactual)),
    html("td", {}, changed ? "changes" : ""),
    html("td", {}, deviations === null ? "" : signed(deviations, 10)));
}
