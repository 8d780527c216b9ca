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

  const drawings = {
    curve(facts) {
      const line = (keep, dash) => ({
        x: facts.x, y: facts.y.map((value, place) => (keep(facts.x[place]) ? value : null)), mode: "lines",
        line: { color: colour("lowers"), width: 3, dash }, hovertemplate: "%{x:.4g} → %{y:.4g}<extra></extra>",
      });
      const border = (x) => ({ type: "line", x0: x, x1: x, y0: 0, y1: 1, yref: "paper", line: { color: colour("muted"), width: 1, dash: "dash" } });
      const step = facts.x[1] - facts.x[0];
      return {
        data: [
          { x: shared.rows[facts.cause], y: shared.rows[facts.effect], mode: "markers", marker: { color: colour("raises"), size: 4, opacity: 0.3 }, hoverinfo: "skip" },
          line((x) => x <= facts.low + step || x >= facts.high - step, "dot"),
          line((x) => x >= facts.low - step / 2 && x <= facts.high + step / 2, "solid"),
        ],
        layout: layout({
          xaxis: axis(), yaxis: axis(),
          shapes: [border(facts.low), border(facts.high)],
        }),
      };
    },
    histogram(facts) {
      const centres = facts.borders.slice(1).map((border, place) => (border + facts.borders[place]) / 2);
      const colours = { noise: "raises", real: "raises", sampled: "lowers" };
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
