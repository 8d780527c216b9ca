// Elements and numbers. Every text goes through text nodes: a column's name can never become markup.

const SVG = "http://www.w3.org/2000/svg";

export const byId = (id) => document.getElementById(id);

export function html(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

// As many digits as a hundredth of the range needs.
export function shown(value, range) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const step = Math.abs(range) / 100 || Math.abs(value) / 1000 || 1;
  if (Math.abs(value) >= 1e6 || step < 1e-6) return value.toPrecision(4);
  const digits = Math.min(8, Math.max(0, Math.ceil(-Math.log10(step))));
  return value.toFixed(digits).replace(/^-(0(\.0*)?)$/, "$1").replace("-", "−");
}

export const signed = (value, range) => (value > 0 ? "+" : "") + shown(value, range);

// A step of a slider: a round number near 1/200 of the axis.
export function roundStep(range) {
  const rough = range / 200;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough) ?? rough;
}

// Fills a progress bar.
export function fill(bar, progress) {
  const share = progress && progress.total ? Math.round((100 * progress.done) / progress.total) : 0;
  bar.hidden = !progress;
  bar.setAttribute("aria-valuenow", share);
  bar.firstElementChild.style.width = `${Math.max(3, share)}%`;
}

export function download(name, content, type) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  html("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
