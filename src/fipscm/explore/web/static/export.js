// Everything that leaves the page, and a graph that comes in as text.

import { ask } from "./api.js";
import { download, html } from "./dom.js";
import { pictureText } from "./graph.js";
import { question, saved, store, tell } from "./store.js";

export function buildExport(place) {
  const said = html("p", { "aria-live": "polite" });
  const code = html("pre", { tabindex: 0, hidden: true, "aria-label": "Python" }, html("code"));
  const asked = () => ({ ...question(), ...(store.row === null ? {} : { row: store.row }) });
  const guarded = (work) => async () => {
    said.className = "";
    said.textContent = "";
    try {
      await work();
    } catch (error) {
      said.className = "trouble";
      said.textContent = error.message;
    }
  };
  const button = (label, title, work) => html("button", { type: "button", title, onclick: guarded(work) }, label);
  const text = html("textarea", { id: "graph-text", rows: 4, spellcheck: "false", placeholder: "dag { age -> dose -> pain }" });
  place.replaceChildren(
    html("h4", {}, "The graph"),
    html("div", { class: "line" },
      button("PNG", "A picture", png), button("SVG", "A picture that can be scaled", async () => download("graph.svg", pictureText(), "image/svg+xml")),
      ...[["DAGitty", "dagitty", "txt"], ["DOT", "dot", "dot"], ["GML", "gml", "gml"]].map(([label, kind, suffix]) => button(label, `For ${label} programs`, async () => download(`graph.${suffix}`, await ask("GET", `/api/graph/${kind}`), "text/plain")))),
    html("h4", {}, "The answers"),
    html("div", { class: "line" },
      button("CSV of answers", "Averages before and after, and the row, if one is picked", async () => download("answers.csv", await ask("POST", "/api/answers", asked()), "text/csv")),
      button("CSV of 1,000 units", "Simulated units under your sliders", async () => download("units.csv", await ask("POST", "/api/units", { ...question(), rows: 1000 }), "text/csv")),
      button("Python", "The lines that give the same answers", async () => {
        const target = store.target?.value === null || store.target === null ? null : { target: store.target.name, value: store.target.value };
        code.firstElementChild.textContent = await ask("POST", "/api/python", { ...asked(), target });
        code.hidden = false;
      })),
    code,
    html("h4", {}, html("label", { for: "graph-text" }, "Take over a graph (DAGitty, DOT or GML)")),
    text,
    html("div", { class: "line" }, button("Take over as knowledge", "Its edges are required, edges found that it lacks are forbidden", async () => {
      saved(await ask("POST", "/api/import", { text: text.value }));
      said.textContent = "Taken over: its edges are required, and edges found that it lacks are forbidden. Refit under “Edit the graph”.";
      tell("session");
    })),
    said);
}

async function png() {
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(pictureText())}`;
  await picture.decode();
  const canvas = html("canvas", { width: 2 * picture.naturalWidth, height: 2 * picture.naturalHeight });
  const pen = canvas.getContext("2d");
  pen.scale(2, 2);
  pen.drawImage(picture, 0, 0);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  download("graph.png", blob, "image/png");
}
