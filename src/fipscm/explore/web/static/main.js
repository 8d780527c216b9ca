// Starts the page, watches the server, and asks it whenever the question changes.

import { ask, latest } from "./api.js";
import { byId, fill, shown, signed } from "./dom.js";
import { showGraph } from "./graph.js";
import { buildEdit } from "./edit.js";
import { buildEffect } from "./effect.js";
import { buildExport } from "./export.js";
import { buildRow } from "./row.js";
import { buildTarget } from "./target.js";
import { buildSliders } from "./sliders.js";
import { buildSuggestions } from "./suggestions.js";
import { movement } from "./levels.js";
import { dropStrange, question, readAddress, releaseAll, screen, store, subscribe, tell } from "./store.js";

const PATIENCE = 350; // milliseconds between two looks at a running fit
let drawn = 0; // the version of the model that is on the screen
let watching = false;

const troubles = new Map(); // by where they come from, so that one that is over does not hide another

function trouble(source, message) {
  troubles.set(source, message);
  const told = [...troubles.values()].filter(Boolean);
  byId("trouble").hidden = told.length === 0;
  byId("trouble").textContent = told.join(" ");
}

function followAddress() {
  const strange = readAddress();
  trouble("address", strange.length ? `The address names what this table does not have: ${strange.join("; ")}.` : null);
}

async function look() {
  const { saves } = store;
  const told = await ask("GET", "/api/state");
  // What the server told while an edit was being saved may not know the edit yet.
  store.session = saves === store.saves ? told : { ...told, edits: store.session.edits };
  trouble("server", null);
  showHead();
  const found = screen();
  byId("main").hidden = found === null;
  showWaiting();
  if (found !== null && found.version !== drawn) {
    const first = drawn === 0;
    drawn = found.version;
    if (first) {
      followAddress();
      buildRow(byId("panel-row"));
      buildTarget(byId("panel-target"));
      buildExport(byId("panel-export"));
      buildSuggestions(watch);
    }
    dropStrange();
    buildSliders(byId("sliders"));
    buildEffect(byId("panel-effect"));
    buildEdit(byId("panel-edit"), watch);
    showGraph(byId("graph"));
    tell("question");
  }
  tell("session");
}

// Looks again and again while something is going on.
async function watch() {
  if (watching) return;
  watching = true;
  try {
    do {
      await look();
      if (isQuiet()) break;
      await new Promise((resolve) => setTimeout(resolve, PATIENCE));
    } while (true);
  } catch (error) {
    trouble("server", error.message);
  } finally {
    watching = false;
  }
}

const isQuiet = () => store.session.progress === null && (screen() === null || !store.session.verdict.pending);

function showHead() {
  const { table, model, rows, columns, verdict, failure } = store.session;
  byId("about").textContent = `${model ? `${file(model)} on ` : ""}${file(table)} · ${rows.toLocaleString("en")} rows · ${columns.length} columns`;
  document.title = `${file(table)} · fipscm explore`;
  const place = byId("verdict");
  const stands = screen()?.edges.every(({ directed }) => directed);
  place.className = `verdict ${verdict.pending ? "pending" : verdict.passed && stands ? "passed" : "doubtful"}`;
  const [first, ...rest] = verdict.text.split("\n");
  const remarks = screen()?.remarks ?? [];
  const note = failure && screen() ? `${failure} The earlier model is still shown. ` : "";
  place.firstElementChild.textContent = note + (screen() ? first.replace(/:$/, rest.length > 1 ? ` (${rest.length}).` : ".") : failure ? "There is no model." : "The model is on its way.");
  place.lastElementChild.replaceChildren(...[...rest, ...remarks].map((line) => paragraph(line.replace(/^- /, ""))));
  if (!rest.length && !remarks.length) place.lastElementChild.append(paragraph("Checked: whether the noises are independent, whether sampled rows look like the observed ones, and whether rows follow each other in time. A hidden common cause cannot always be seen."));
  if (screen()?.confidence_means) place.lastElementChild.append(paragraph(screen().confidence_means));
}

function paragraph(text) {
  const element = document.createElement("p");
  element.textContent = text;
  return element;
}

const file = (path) => path.split(/[\\/]/).pop();

function showWaiting() {
  const { progress, failure, rows, columns, table, model } = store.session;
  const place = byId("waiting");
  place.hidden = screen() !== null;
  if (place.hidden) return;
  byId("waiting-title").textContent = failure ? "No model" : model ? `Opening ${file(model)}` : `Learning from ${file(table)}: ${rows.toLocaleString("en")} rows, ${columns.length} columns`;
  byId("waiting-stage").textContent = failure ?? (progress ? `${progress.stage} ${progress.note}` : "");
  byId("waiting-cancel").hidden = progress === null || Boolean(model);
  fill(place.querySelector(".bar"), progress);
}

const answerAll = latest(async () => {
  if (!screen()) return;
  try {
    const changes = new Map(store.changes); // the answer belongs to these, wherever the sliders are by then
    store.answer = { ...(await ask("POST", "/api/what-if", question())), changes };
    if (store.answer.version !== drawn) return void watch();
    tell("answer");
    if (store.row !== null) {
      store.portrait = await ask("POST", "/api/row", { ...question(), row: store.row });
    } else {
      store.portrait = null;
    }
    tell("portrait");
    trouble("answer", null);
  } catch (error) {
    trouble("answer", error.message);
  }
});

// The answer in one sentence: what was changed, and the largest effects in standard deviations.
function showSentence() {
  const place = byId("answer");
  const { variables, order } = screen();
  const acted = [...store.answer.changes];
  place.classList.toggle("idle", acted.length === 0);
  if (acted.length === 0) {
    place.textContent = "What if? Move a slider, or choose a level: every column that depends on it shows what would change.";
    return;
  }
  const bold = (text) => Object.assign(document.createElement("b"), { textContent: text });
  const note = (text) => Object.assign(document.createElement("em"), { textContent: text });
  const words = ["If "];
  acted.forEach(([column, { kind, value }], at) => {
    const { axis, levels, kind: sort } = variables[column];
    const range = sort === "count" && kind === "set" ? 100 : axis[1] - axis[0];
    if (levels) return void words.push(at ? " and " : "", bold(column), " is set to ", bold(value));
    words.push(at ? " and " : "", bold(column), kind === "set" ? " is set to " : " is shifted by ", bold(kind === "set" ? shown(value, range) : signed(value, range)));
  });
  const effects = order
    .filter((name) => !store.answer.changes.has(name))
    .map((name) => ({ name, levels: variables[name].levels, ...movement(variables[name], store.answer.after[name]) }))
    .filter(({ size }) => size > 0.005)
    .sort((one, other) => other.size - one.size);
  words.push(effects.length ? ": " : ", nothing else changes.");
  effects.slice(0, 3).forEach(({ name, levels, what, before, after, by }, at) => {
    const goes = by > 0 ? " rises" : " falls";
    words.push(at ? ", " : "", ...(levels ? ["the share of ", bold(`${name} = ${what}`), goes, " from "] : [bold(name), goes, " on average from "]), before, " to ", bold(after));
  });
  if (effects.length > 3) words.push(` and ${effects.length - 3} more change${effects.length === 4 ? "s" : ""}`);
  if (effects.length) words.push(".");
  const unsure = screen().edges.filter(({ directed, cause, effect }) => !directed && (store.answer.changes.has(cause) || store.answer.changes.has(effect)));
  for (const { cause, effect } of unsure.slice(0, 2)) words.push(note(` It is open which comes first, ${cause} or ${effect}.`));
  const far = acted.filter(([column, { kind, value }]) => {
    const { low, high, mean, levels } = variables[column];
    if (levels) return false;
    const at = kind === "set" ? value : mean + value;
    return at < low || at > high;
  });
  for (const [column] of far) {
    const { low, high, axis } = variables[column];
    const range = axis[1] - axis[0];
    words.push(note(` The rows of ${column} go from ${shown(low, range)} to ${shown(high, range)}: beyond them the answer is a guess.`));
  }
  place.replaceChildren(...words);
}

function wireTabs() {
  const tabs = [...document.querySelectorAll("[role=tab]")];
  const open = (tab) => {
    for (const other of tabs) {
      other.setAttribute("aria-selected", String(other === tab));
      other.tabIndex = other === tab ? 0 : -1;
      byId(other.getAttribute("aria-controls")).hidden = other !== tab;
    }
  };
  tabs.forEach((tab, at) => {
    tab.addEventListener("click", () => open(tab));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = tabs[(at + step + tabs.length) % tabs.length];
      open(next);
      next.focus();
    });
  });
  subscribe((kind) => {
    if (kind === "selection" && store.selected?.effect) open(byId("tab-edit"));
  });
}

function wireTools() {
  byId("reset").addEventListener("click", releaseAll);
  byId("share").addEventListener("click", async (event) => {
    const button = event.currentTarget;
    try {
      await navigator.clipboard.writeText(location.href);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Copy it from the address bar";
    }
    setTimeout(() => (button.textContent = "Copy link"), 2_000);
  });
  const dark = matchMedia("(prefers-color-scheme: dark)");
  byId("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const now = root.dataset.theme ?? (dark.matches ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
  });
  byId("enlarge").addEventListener("click", (event) => {
    const wide = byId("main").classList.toggle("wide");
    event.currentTarget.setAttribute("aria-pressed", String(wide));
  });
  byId("waiting-cancel").addEventListener("click", () => ask("DELETE", "/api/refit").then(watch, (error) => trouble("server", error.message)));
  addEventListener("hashchange", () => screen() && followAddress());
}

subscribe((kind) => {
  if (kind === "question") answerAll();
  if (kind === "answer") showSentence();
});
wireTabs();
wireTools();
watch();
