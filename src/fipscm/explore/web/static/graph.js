// The graph: boxes in layers from the server's layout, edges by strength, edits and effects drawn over it.

import { byId, html, shown, signed, svg } from "./dom.js";
import { movement } from "./levels.js";
import { screen, select, store, subscribe } from "./store.js";

const key = (cause, effect) => JSON.stringify([cause, effect]);
const has = (pairs, cause, effect) => pairs.some(([one, other]) => one === cause && other === effect);
const LINE = 15; // from one line of a name to the next
const BELOW = 8; // room for the numbers under the lowest box
let place = null;
let items = []; // what arrow keys walk through: boxes, then edges

export function showGraph(element) {
  place = element;
  draw();
}

subscribe((kind) => {
  if (place === null || screen() === null) return;
  if (kind === "session" || kind === "selection") draw();
  if (kind === "answer" || kind === "question") recolour();
});

function draw() {
  const { layout, edges, order, changes } = screen();
  const rise = highest(layout);
  const focused = document.activeElement?.closest("#graph") ? document.activeElement.dataset.item : null;
  const picture = svg("svg", {
    viewBox: `0 ${-rise} ${layout.width} ${layout.height + rise + BELOW}`,
    role: "group",
    "aria-label": `Causal graph of ${order.length} columns and ${edges.length} edges. Arrow keys walk through it, Enter picks.`,
    onkeydown: walk,
  });
  picture.style.setProperty("--natural", `${layout.width}px`);
  picture.append(markers());
  const strongest = Math.max(...edges.map((edge) => Math.abs(edge.strength ?? 0)), 1e-12);
  const facts = new Map(edges.map((edge) => [key(edge.cause, edge.effect), edge]));
  const lines = layout.routes.map((route) => drawEdge(route, facts.get(key(route.cause, route.effect)), strongest, changes));
  picture.append(...lines, ...asked(layout, facts), ...arcs(layout));
  picture.append(...order.map((name) => drawBox(name, layout.boxes[name])));
  picture.append(...order.map((name) => svg("text", { x: layout.boxes[name].x, y: layout.boxes[name].y + layout.boxes[name].height / 2 + 7, class: "change", "data-of": name })));
  place.replaceChildren(picture);
  document.querySelector(".legend .open").hidden = edges.every(({ directed }) => directed);
  items = [...picture.querySelectorAll("[data-item]")].sort((one, other) => one.dataset.item.localeCompare(other.dataset.item, undefined, { numeric: true }));
  const current = items.find((item) => item.dataset.item === focused) ?? items[0];
  for (const item of items) item.setAttribute("tabindex", item === current ? "0" : "-1");
  if (focused !== null && current) current.focus();
  const isLarge = place.scrollWidth > place.clientWidth + 1 || place.scrollHeight > place.clientHeight + 1;
  byId("enlarge").hidden = !isLarge && byId("enlarge").getAttribute("aria-pressed") === "false";
  recolour();
}

function markers() {
  const head = (kind) =>
    svg("marker", { id: `head-${kind}`, class: `head ${kind}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto-start-reverse" }, svg("path", { d: "M0,0.6 L8,4 L0,7.4 Z" }));
  return svg("defs", {}, ...["raises", "lowers", "changes", "required", "forbidden", "hidden"].map(head));
}

function drawEdge(route, edge, strongest, changes) {
  const { cause, effect, path } = route;
  const { variables, order } = screen();
  const isCategory = [cause, effect].some((name) => variables[name].kind === "categorical"); // has no up and down
  const sign = !edge.directed ? "open" : isCategory ? "changes" : (edge.weight ?? 0) >= 0 ? "raises" : "lowers";
  const { required, forbidden } = store.session.edits;
  const ruledOut = has(forbidden, cause, effect) || has(required, effect, cause);
  const classes = ["edge", ruledOut ? "forbidden" : sign];
  if (has(required, cause, effect)) classes.push("kept");
  if (has(changes.new, cause, effect) || has(changes.turned, cause, effect)) classes.push("new");
  if (store.selected?.cause === cause && store.selected?.effect === effect) classes.push("selected");
  const range = variables[effect].axis[1] - variables[effect].axis[0];
  const perUnit = variables[cause].levels || variables[effect].levels ? "" : `average slope ${signed(edge.weight, range)} per unit, `;
  const sure = edge.confidence === null ? "" : `${Math.round(100 * edge.confidence)} %`;
  const evidence = `evidence ${shown(edge.score, 100)}`;
  const facts = edge.directed ? `${cause} causes ${effect}: ${perUnit}${evidence}${sure && `, direction ${sure}`}` : `${cause} - ${effect}, direction open (${sure} for ${cause} first): ${evidence}`;
  const said = `${facts}${ruledOut ? ", forbidden by you" : has(required, cause, effect) ? ", required by you" : ""}`;
  return svg(
    "g",
    {
      class: classes.join(" "),
      role: "button",
      "aria-label": said,
      "data-item": `1 ${String(order.indexOf(cause)).padStart(4, "0")} ${String(order.indexOf(effect)).padStart(4, "0")}`,
      "data-cause": cause,
      "data-effect": effect,
      onclick: () => select({ cause, effect }),
    },
    svg("title", {}, said),
    svg("path", { class: "reach", d: path }),
    svg("path", {
      class: "line",
      d: path,
      "stroke-width": (1 + (2.6 * Math.abs(edge.strength ?? 0)) / strongest).toFixed(2),
      "marker-end": edge.directed ? `url(#head-${ruledOut ? "forbidden" : sign})` : null,
    }),
  );
}

// Edges that the expert requires and the model does not have yet.
function asked(layout, facts) {
  return store.session.edits.required
    .filter(([cause, effect]) => !facts.has(key(cause, effect)))
    .map(([cause, effect]) =>
      svg(
        "g",
        {
          class: "edge required",
          role: "button",
          "aria-label": `${cause} causes ${effect}: required by you, not fitted yet`,
          "data-item": `2 ${cause} ${effect}`,
          "data-cause": cause,
          "data-effect": effect,
          onclick: () => select({ cause, effect }),
        },
        svg("path", { class: "reach", d: between(layout.boxes[cause], layout.boxes[effect]) }),
        svg("path", { class: "line", d: between(layout.boxes[cause], layout.boxes[effect]), "marker-end": "url(#head-required)" }),
      ),
    );
}

function between(from, to) {
  if (to.x - to.width / 2 > from.x + from.width / 2) {
    const [x, y, u, v] = [from.x + from.width / 2, from.y, to.x - to.width / 2, to.y];
    return `M${x},${y} C${(x + u) / 2},${y} ${(x + u) / 2},${v} ${u},${v}`;
  }
  const side = to.y >= from.y ? 1 : -1;
  const [y, v] = [from.y + (side * from.height) / 2, to.y + (side * to.height) / 2];
  const out = side * (24 + Math.abs(from.x - to.x) / 8) + (side > 0 ? Math.max(y, v) : Math.min(y, v));
  return `M${from.x},${y} C${from.x},${out} ${to.x},${out} ${to.x},${v}`;
}

// How high the arc over two boxes goes.
const peak = (from, to) => Math.min(from.y, to.y) - from.height / 2 - 22 - Math.abs(from.x - to.x) / 8;

// How far above the picture the highest arc goes.
const highest = (layout) => Math.max(0, ...store.session.edits.hidden.map(([one, other]) => -peak(layout.boxes[one], layout.boxes[other])));

function arcs(layout) {
  return store.session.edits.hidden.map(([one, other]) => {
    const [from, to] = [layout.boxes[one], layout.boxes[other]];
    const high = peak(from, to);
    const path = `M${from.x},${from.y - from.height / 2} C${from.x},${high} ${to.x},${high} ${to.x},${to.y - to.height / 2}`;
    return svg("path", { class: "hidden-cause", d: path, "marker-start": "url(#head-hidden)", "marker-end": "url(#head-hidden)" }, svg("title", {}, `A hidden common cause of ${one} and ${other}`));
  });
}

function drawBox(name, box) {
  const at = screen().order.indexOf(name);
  return svg(
    "g",
    { class: "box", role: "button", "data-item": `0 ${String(at).padStart(4, "0")}`, "data-column": name, onclick: () => pick(name) },
    svg("title", {}, name),
    svg("rect", { x: box.x - box.width / 2, y: box.y - box.height / 2, width: box.width, height: box.height, rx: 7 }),
    svg("text", {}, ...box.lines.map((line, at) => svg("tspan", { x: box.x, y: box.y + LINE * (at - (box.lines.length - 1) / 2) }, line))),
  );
}

function pick(name) {
  select({ column: name });
  const card = [...document.querySelectorAll(".variable")].find((each) => each.dataset.column === name);
  card?.scrollIntoView({ block: "nearest", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
}

// Boxes show how far their average moves; edges into a column that is set are cut.
function recolour() {
  const { variables, edges } = screen();
  const texts = new Map([...place.querySelectorAll(".change")].map((text) => [text.dataset.of, text]));
  const [above, below] = related(store.selected?.column, edges);
  for (const box of place.querySelectorAll(".box")) {
    const name = box.dataset.column;
    const before = variables[name];
    const after = store.answer?.after[name];
    const acted = store.changes.get(name);
    const { by, size, ...told } = movement(before, after && store.answer.changes.size ? after : null);
    const moves = size > 0.005;
    box.classList.toggle("acted", Boolean(acted));
    box.classList.toggle("raises", !acted && moves && by > 0);
    box.classList.toggle("lowers", !acted && moves && by < 0);
    box.classList.toggle("selected", store.selected?.column === name);
    box.classList.toggle("related", above.has(name) || below.has(name));
    box.querySelector("rect").style.setProperty("--size", `${Math.min(75, 12 + 40 * size)}%`);
    const level = before.levels ? `${told.what} ` : "";
    const text = acted || moves ? `${level}${told.before} → ${told.after}` : "";
    texts.get(name).textContent = after ? text : "";
    box.setAttribute("aria-label", `${name}, ${told.what} ${told.before}${text ? `, now ${told.after}` : ""}`);
  }
  for (const edge of place.querySelectorAll(".edge")) {
    const { cause, effect } = edge.dataset;
    const column = store.selected?.column;
    edge.classList.toggle("cut", store.changes.get(effect)?.kind === "set");
    edge.classList.toggle("aside", Boolean(column) && !touches(column, above, below, cause, effect));
  }
}

function touches(column, above, below, cause, effect) {
  const upstream = (name) => name === column || above.has(name);
  const downstream = (name) => name === column || below.has(name);
  return (upstream(cause) && upstream(effect)) || (downstream(cause) && downstream(effect));
}

// The ancestors and the descendants of a column.
function related(column, edges) {
  const reached = (from, to) => {
    const found = new Set();
    const ahead = column ? [column] : [];
    while (ahead.length) {
      const now = ahead.pop();
      for (const edge of edges) {
        if (edge[from] === now && !found.has(edge[to])) {
          found.add(edge[to]);
          ahead.push(edge[to]);
        }
      }
    }
    return found;
  };
  return [reached("effect", "cause"), reached("cause", "effect")];
}

function walk(event) {
  const at = items.indexOf(event.target.closest("[data-item]"));
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (step && at >= 0) {
    event.preventDefault();
    const next = items[(at + step + items.length) % items.length];
    for (const item of items) item.setAttribute("tabindex", item === next ? "0" : "-1");
    next.focus();
  } else if ((event.key === "Enter" || event.key === " ") && at >= 0) {
    event.preventDefault();
    items[at].dispatchEvent(new MouseEvent("click"));
  } else if (event.key === "Escape") {
    select(null);
  }
}

// The picture alone, with its colours written into it, for a file.
export function pictureText() {
  const drawn = place.querySelector("svg");
  const copy = drawn.cloneNode(true);
  const kept = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "opacity", "font-family", "font-size", "font-weight", "text-anchor", "dominant-baseline", "paint-order"];
  const [from, to] = [drawn, copy].map((root) => [root, ...root.querySelectorAll("*")]);
  from.forEach((element, at) => {
    const style = getComputedStyle(element);
    for (const name of kept) to[at].setAttribute(name, style.getPropertyValue(name));
    for (const name of ["style", "class", "tabindex", "role", "data-item"]) to[at].removeAttribute(name);
  });
  const [x, y, width, height] = drawn.getAttribute("viewBox").split(" ").map(Number);
  const ground = svg("rect", { x, y, width, height, fill: getComputedStyle(document.querySelector(".card")).backgroundColor });
  copy.prepend(ground);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  return new XMLSerializer().serializeToString(copy);
}

export function legendOfChanges() {
  const { gone, new: added, turned } = screen().changes;
  const line = (kind, pairs) => pairs.map(([cause, effect]) => html("li", { class: kind }, `${cause} → ${effect} `, html("i", {}, kind)));
  return [...line("new", added), ...line("gone", gone), ...line("turned", turned)];
}
