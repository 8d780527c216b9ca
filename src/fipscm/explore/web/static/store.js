// What the page shows, and who wants to know when it changes. The part a link carries is in the address.

const listeners = new Set();

export const store = {
  session: null, // what /api/state told
  saves: 0, // how often edits were saved from this page
  changes: new Map(), // column -> {kind: "set" | "shift", value}; a value is a number, or the name of a level
  row: null,
  target: null, // {name, value}
  answer: null, // what /api/what-if told, with the changes it was asked about
  portrait: null, // what /api/row told
  selected: null, // {column} or {cause, effect}
};

export function subscribe(listener) {
  listeners.add(listener);
}

// `kind` says what changed: session, question, answer, portrait, selection.
export function tell(kind) {
  for (const listener of listeners) listener(kind);
}

export function saved(edits) {
  store.session.edits = edits;
  store.saves += 1;
}

export const screen = () => store.session?.screen ?? null;

export const question = () => ({
  do: [...store.changes].map(([column, { kind, value }]) => ({ column, kind, value })),
});

export function change(column, kind, value) {
  store.changes.set(column, { kind, value });
  asked();
}

export function release(column) {
  store.changes.delete(column);
  asked();
}

export function releaseAll() {
  store.changes.clear();
  asked();
}

export function pickRow(row) {
  store.row = row;
  asked();
}

export function aimAt(target) {
  store.target = target;
  asked();
}

export function select(selected) {
  store.selected = selected;
  tell("selection");
}

function asked() {
  history.replaceState(null, "", written());
  tell("question");
}

function written() {
  const words = new URLSearchParams();
  for (const [column, { kind, value }] of store.changes) words.append(`${kind}.${column}`, String(value));
  if (store.row !== null) words.append("row", String(store.row));
  if (store.target !== null) {
    words.append("target", store.target.name);
    if (store.target.value !== null) words.append("value", String(store.target.value));
  }
  const text = words.toString();
  return text ? `#${text}` : location.pathname;
}

// What a change of this column may be, or null: a number, or one of the levels of a column that has some.
function valueOf(column, kind, text) {
  const levels = screen().variables[column]?.levels;
  if (levels) return kind === "set" && levels.includes(text) ? text : null;
  const number = text.trim() === "" ? NaN : Number(text);
  return Number.isFinite(number) ? number : null;
}

// After a refit a column may be of another kind: changes that no longer fit are taken back.
export function dropStrange() {
  for (const [column, { kind, value }] of store.changes) {
    const fits = valueOf(column, kind, String(value)) === value;
    if (!fits) store.changes.delete(column);
  }
}

// Takes over what the address says. What it says of unknown columns or rows is named, not obeyed.
export function readAddress() {
  const known = new Set(store.session.columns);
  const strange = [];
  store.changes.clear();
  store.row = null;
  store.target = null;
  const words = new URLSearchParams(location.hash.slice(1));
  for (const [key, text] of words) {
    const [, kind, column] = key.match(/^(set|shift)\.(.*)$/s) ?? [];
    const number = text.trim() === "" ? NaN : Number(text);
    const value = kind && known.has(column) ? valueOf(column, kind, text) : null;
    if (value !== null) store.changes.set(column, { kind, value });
    else if (kind) strange.push(`${column} = ${text}`);
    else if (key === "row" && Number.isInteger(number) && number >= 0 && number < store.session.rows) store.row = number;
    else if (key === "row") strange.push(`row ${text}`);
    else if (key === "target" && known.has(text)) {
      const wanted = words.has("value") ? Number(words.get("value")) : NaN;
      store.target = { name: text, value: Number.isFinite(wanted) ? wanted : null };
    } else if (key === "target") strange.push(`target ${text}`);
  }
  tell("question");
  return strange;
}
