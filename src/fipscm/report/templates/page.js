"use strict";
// Draws each chart when it comes near the window, and all of them before printing.
(() => {
  const shared = JSON.parse(document.getElementById("shared").textContent);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  // A column's name is text: Plotly would take some of it for HTML or for a formula.
  const text = (name) => name.replace(/[&<>$]/g, (character) => `&#${character.charCodeAt(0)};`);

  const axis = () => ({
    fixedrange: true, automargin: true, gridcolor: colour("line"), linecolor: colour("line"), zeroline: false,
    tickfont: { size: 11 }, nticks: 6,
  });

  const layout = (more) => ({
    margin: { l: 8, r: 8, t: 8, b: 8 }, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: getComputedStyle(document.body).fontFamily, color: colour("ink") },
    showlegend: false, dragmode: false, hoverlabel: { font: { size: 12 } }, ...more,
  });

  const colours = { noise: "raises", real: "raises", sampled: "lowers" };
  const palette = ["lowers", "raises", "shared", "good", "notes", "bad"];

  // Names of levels in place of numbers; all of them, up to a number that fits.
  const ticks = (levels) => {
    if (!levels) return {};
    const every = Math.ceil(levels.names.length / 12);
    const kept = levels.at.map((_, place) => place).filter((place) => place % every === 0);
    return { tickmode: "array", tickvals: kept.map((place) => levels.at[place]), ticktext: kept.map((place) => text(levels.names[place])) };
  };

  // Rows with the same level side by side, always in the same way.
  const scattered = ({ at }) => {
    const gap = Math.min(...at.slice(1).map((value, place) => value - at[place]));
    return (value, place) => value + gap * 0.5 * (((place * 0.618034) % 1) - 0.5);
  };

  const stroke = (at, dash) => ({ color: colour(palette[at % palette.length]), width: 3, dash });
  const label = (facts, at) => (facts.told.length ? text(facts.told[at]) : "");
  const hover = (facts, at) => (facts.told.length ? `: %{y:.0%} ${label(facts, at).replaceAll("%", "&#37;")}<extra></extra>` : " → %{y:.4g}<extra></extra>");

  // One answer along a range of numbers: solid among the rows, dotted beyond them.
  const curves = (facts, answer, at) => {
    const step = facts.x[1] - facts.x[0];
    const line = (keep, dash, showlegend) => ({
      x: facts.x, y: answer.map((value, place) => (keep(facts.x[place]) ? value : null)), mode: "lines",
      line: stroke(at, dash), name: label(facts, at), showlegend, hovertemplate: `%{x:.4g}${hover(facts, at)}`,
    });
    return [
      line((x) => x <= facts.low + step || x >= facts.high - step, "dot", false),
      line((x) => x >= facts.low - step / 2 && x <= facts.high + step / 2, "solid", facts.told.length > 0),
    ];
  };

  // One answer for each level of a cause: steps where levels are in order.
  const points = (facts, answer, at) => [{
    x: facts.x, y: answer, mode: facts.steps ? "lines+markers" : "markers", line: { ...stroke(at), width: 2, shape: "hvh" },
    marker: { color: colour(palette[at % palette.length]), size: 11, symbol: "diamond" }, name: label(facts, at), showlegend: facts.told.length > 0,
    text: facts.across.names.map(text), hovertemplate: `%{text}${hover(facts, at)}`,
  }];

  const drawings = {
    curve(facts) {
      const places = facts.across;
      const border = (x) => ({ type: "line", x0: x, x1: x, y0: 0, y1: 1, yref: "paper", line: { color: colour("muted"), width: 1, dash: "dash" } });
      const rows = { x: places ? shared.rows[facts.cause].map(scattered(places)) : shared.rows[facts.cause], y: shared.rows[facts.effect], mode: "markers", marker: { color: colour("raises"), size: 4, opacity: 0.3 }, hoverinfo: "skip", showlegend: false };
      const lines = facts.y.flatMap((answer, at) => (places ? points(facts, answer, at) : curves(facts, answer, at)));
      const probability = facts.told.length > 0;
      return {
        data: [...(probability ? [] : [rows]), ...lines],
        layout: layout({
          xaxis: { ...axis(), ...ticks(places) }, yaxis: { ...axis(), ...(probability ? { range: [-0.03, 1.03], tickformat: ".0%" } : ticks(facts.up)) },
          shapes: places ? [] : [border(facts.low), border(facts.high)],
          showlegend: probability, legend: { orientation: "h", y: 1.02, yanchor: "bottom", font: { size: 11 }, itemclick: false, itemdoubleclick: false },
        }),
      };
    },
    bars(facts) {
      const at = facts.names.map((_, place) => place);
      const data = Object.entries(facts.heights).map(([name, heights]) => ({
        type: "bar", x: at, y: heights, marker: { color: colour(colours[name]), opacity: 0.8 }, text: facts.names.map(text), textposition: "none",
        hovertemplate: `%{text}: %{y:.1f}% (${name})<extra></extra>`,
      }));
      return { data, layout: layout({ barmode: "group", bargap: 0.25, xaxis: { ...axis(), ...ticks({ at, names: facts.names }), showgrid: false }, yaxis: { visible: false, fixedrange: true } }) };
    },
    histogram(facts) {
      const centres = facts.borders.slice(1).map((border, place) => (border + facts.borders[place]) / 2);
      const data = Object.entries(facts.heights).map(([name, heights]) => ({
        x: centres, y: heights, mode: "lines", line: { color: colour(colours[name]), width: 2, shape: "hvh" },
        fill: name === "sampled" ? "none" : "tozeroy", hovertemplate: `%{x:.4g}: %{y:.1f}% (${name})<extra></extra>`,
      }));
      return { data, layout: layout({ hovermode: "x", xaxis: { ...axis(), showgrid: false }, yaxis: { visible: false, fixedrange: true } }) };
    },
    confidence(facts) {
      const places = facts.names.map((_, place) => place);
      const ticks = { tickvals: places, ticktext: places.map((place) => place + 1), fixedrange: true, automargin: true, showgrid: false, zeroline: false };
      const hover = facts.names.map((before) => facts.names.map((after) => `${text(before)} before ${text(after)}`));
      const few = facts.names.length <= 15;
      return {
        data: [{
          type: "heatmap", z: facts.shares.map((row, i) => row.map((share, j) => (i === j ? null : share))), zmin: 0, zmax: 1, text: hover,
          colorscale: [[0, colour("lowers")], [0.5, colour("soft")], [1, colour("raises")]], hovertemplate: "%{text}: %{z:.0%}<extra></extra>",
          texttemplate: few ? "%{z:.0%}" : "", xgap: 2, ygap: 2,
          showscale: !few, colorbar: { tickformat: ".0%", thickness: 10, outlinewidth: 0 },
        }],
        layout: layout({ xaxis: { ...ticks, side: "top" }, yaxis: { ...ticks, autorange: "reversed" } }),
      };
    },
  };

  const draw = (chart) => {
    const facts = JSON.parse(chart.dataset.drawing);
    const { data, layout } = drawings[facts.kind](facts);
    chart.dataset.drawn = "yes";
    return Plotly.react(chart, data, layout, { displayModeBar: false, responsive: true, displaylogo: false });
  };

  const charts = [...document.querySelectorAll(".chart")];
  const watch = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (entry.isIntersecting) { watch.unobserve(entry.target); draw(entry.target); }
    }
  }, { rootMargin: "600px" });
  charts.forEach((chart) => watch.observe(chart));
  dark.addEventListener("change", () => charts.filter((chart) => chart.dataset.drawn).forEach(draw));
  addEventListener("beforeprint", () => {
    document.querySelectorAll("details").forEach((part) => { part.open = true; });
    charts.filter((chart) => !chart.dataset.drawn).forEach(draw);
  });
})();
