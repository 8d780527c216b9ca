// What a column shows of itself: an average, or, where it has levels, the share of one of them.

import { shown, signed } from "./dom.js";

export const percent = (share) => (share === null || share === undefined ? "–" : `${Math.round(100 * share)} %`);

// How a column moves: of two levels the second is told, of several the one whose share changes most.
export function movement(facts, after) {
  if (!facts.levels) {
    const range = facts.axis[1] - facts.axis[0];
    const by = after ? after.mean - facts.mean : 0;
    return { by, size: Math.abs(by) / (facts.spread || 1), what: "average", before: shown(facts.mean, range), after: shown(after?.mean, range), difference: signed(by, range) };
  }
  const at = told(facts, after);
  const share = facts.shares[at];
  const by = after ? after.shares[at] - share : 0;
  const spread = Math.sqrt(share * (1 - share)) || 1;
  return { by, size: Math.abs(by) / spread, what: facts.levels[at], before: percent(share), after: percent(after?.shares[at]), difference: `${by > 0 ? "+" : ""}${Math.round(100 * by)}`.replace("-", "−") };
}

function told({ levels, shares }, after) {
  if (levels.length === 2) return 1;
  const sizes = after ? shares.map((share, at) => Math.abs(after.shares[at] - share)) : shares;
  return sizes.indexOf(Math.max(...sizes));
}
