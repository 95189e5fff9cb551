"""The page of a report: its style and its script, which draws and plays what `report` has put into DATA."""

PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>%(title)s</title>
<link rel="icon" href="data:,">
<style>%(style)s</style>
</head><body>
<header><h1>%(title)s</h1><p>%(subtitle)s</p></header>
<main>
<section><h2>Motion</h2>
<div class="bar">
<label>show <select id="what"></select></label>
<button id="play" type="button">Play</button>
<input id="time" type="range" min="0" max="1" value="0" step="1" aria-label="time">
<output id="now"></output>
<label>speed <select id="speed"><option value="0.1">0.1</option><option value="0.25">0.25</option>
<option value="0.5">0.5</option><option value="1" selected>1</option><option value="2">2</option></select></label>
<label id="magnify-label">deviation <select id="magnify"><option value="1">&times; 1</option>
<option value="5">&times; 5</option><option value="10">&times; 10</option>
<option value="20">&times; 20</option></select></label>
</div>
<div id="scene"></div>
<p class="hint">Drag to turn, scroll to come nearer. Beams are drawn with their true deformed shape.%(hint)s</p>
</section>
<section><h2>Curves</h2><div id="curves"></div></section>
%(tables)s
</main>
<footer>%(footer)s</footer>
<script>%(plotly)s</script>
<script>const DATA = %(data)s;</script>
<script>%(script)s</script>
</body></html>
"""

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 0; color: #1f2328; background: #f6f8fa; }
header { background: #0d2d4f; color: white; padding: 1.2rem 2rem; } header h1 { margin: 0; font-size: 1.5rem; }
header p { margin: .3rem 0 0; opacity: .85; }
main { max-width: 1180px; margin: 0 auto; padding: 1rem 1.5rem; }
section { background: white; border: 1px solid #d0d7de; border-radius: 8px; padding: 1rem 1.2rem; margin: 1rem 0; }
h2 { margin: 0 0 .6rem; font-size: 1.15rem; }
#scene { height: 560px; } .curve { height: 350px; margin-bottom: 1.2rem; }
#what { max-width: 330px; }
.bar { display: flex; flex-wrap: wrap; gap: .8rem; align-items: center; }
.bar input[type=range] { flex: 1; min-width: 160px; }
.bar output { min-width: 9em; font-variant-numeric: tabular-nums; }
button { padding: .3rem 1.1rem; border: 1px solid #0d2d4f; border-radius: 6px; background: #0d2d4f;
  color: white; cursor: pointer; }
.hint { color: #57606a; font-size: .87rem; margin: .4rem 0 0; }
table { border-collapse: collapse; font-size: .9rem; } .wide { overflow-x: auto; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid #d8dee4; text-align: left; }
td { white-space: nowrap; } th { vertical-align: bottom; }
td.n { text-align: right; font-variant-numeric: tabular-nums; } th.n { text-align: right; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .85rem; margin: 0; }
footer { text-align: center; color: #57606a; padding: 1rem; font-size: .85rem; }
"""

SCRIPT = """
"use strict";
const COLORS = {beam: "#1f6feb", rigid: "#57606a", bar: "#bf8700", guide: "#8250df"};
const NAMES = {beam: "beams", rigid: "rigid links", bar: "bars", guide: "guides"};
function floats(text) {
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return new Float32Array(bytes.buffer);
}
for (const show of DATA.shows) for (const set of [show.parts, show.nominal || {}, show.rest || {}])
  for (const part of Object.values(set)) part.v = floats(part.data);
function points(part, base, k, factor) {
  const [N, lines, n] = part.shape, x = [], y = [], z = [], v = part.v, b = base ? base.v : null;
  let at = (N > 1 ? k : 0) * lines * n * 3;
  for (let i = 0; i < lines; i++) {
    for (let j = 0; j < n; j++, at += 3) {
      const d = c => b ? b[at + c] + factor * (v[at + c] - b[at + c]) : v[at + c];
      x.push(d(0)); y.push(d(1)); z.push(d(2));
    }
    if (n > 1) { x.push(null); y.push(null); z.push(null); }
  }
  return [x, y, z];
}
let show = DATA.shows[0], frame = 0, playing = false, begun = 0, startTime = 0, busy = false;
const el = id => document.getElementById(id), scene = el("scene");
function layers() {
  const out = [];
  if (show.rest) for (const key of Object.keys(show.rest))
    out.push({key, part: show.rest[key], still: true});
  for (const key of Object.keys(show.parts)) out.push({key, part: show.parts[key], base: (show.nominal || {})[key]});
  return out;
}
function trace(layer) {
  const [x, y, z] = points(layer.part, layer.base, layer.still ? 0 : frame, Number(el("magnify").value));
  const t = {type: "scatter3d", x, y, z, hoverinfo: "skip", connectgaps: false};
  if (layer.still) return {...t, mode: "lines", line: {color: "#c4cad1", width: 3}, name: "at rest",
    showlegend: layer.key === "beam"};
  if (layer.key in COLORS) return {...t, mode: "lines",
    line: {color: COLORS[layer.key], width: layer.key === "beam" ? 7 : 8}, name: NAMES[layer.key]};
  const marks = {joints: ["#ffffff", 6, "circle"], masses: ["#cf222e", 5, "circle"],
    supports: ["#24292f", 6, "square"]};
  if (layer.key in marks) { const [color, size, symbol] = marks[layer.key];
    return {...t, mode: "markers", marker: {color, size, symbol, line: {color: "#24292f", width: 2}},
      name: layer.key}; }
  return {...t, mode: "lines", line: {color: "#1a7f37", width: 2, dash: "dot"}, name: layer.part.name};
}
function firstLayout() {
  const [lo, hi] = DATA.extent, span = lo.map((a, i) => hi[i] - a), big = Math.max(...span);
  const pads = span.map(s => Math.max(0.06 * big, 0.5 * (0.3 * big - s))), full = span.map((s, i) => s + 2 * pads[i]);
  const most = Math.max(...full), ratio = {x: full[0] / most, y: full[1] / most, z: full[2] / most};
  const axis = (title, i) => { const pad = pads[i];
    return {title: {text: title}, range: [lo[i] - pad, hi[i] + pad], backgroundcolor: "#fbfcfd",
      showbackground: true}; };
  return {margin: {l: 0, r: 0, t: 0, b: 0}, uirevision: "keep",
    legend: {x: 0.01, y: 0.99, bgcolor: "rgba(255,255,255,.7)"},
    scene: {aspectmode: "manual", aspectratio: ratio, xaxis: axis("x (m)", 0),
      yaxis: axis("y (m)", 1), zaxis: axis("z (m)", 2),
      camera: DATA.planar ? {eye: {x: 0, y: 0, z: 2}, up: {x: 0, y: 1, z: 0}, projection: {type: "orthographic"}}
        : {eye: {x: 1.0, y: -1.0, z: 0.5}}}};
}
function label() { const t = show.t[frame]; el("now").textContent = show.mode ? "" : `t = ${t.toFixed(3)} s`;
  el("time").value = frame; }
const layout = firstLayout();  // Plotly keeps the view that the user has turned to in it
function draw() { return Plotly.react(scene, layers().map(trace), layout, {responsive: true, displaylogo: false}); }
function choose(k) { show = DATA.shows[k]; frame = 0; el("time").max = show.t.length - 1;
  el("magnify-label").style.display = show.nominal ? "" : "none"; begun = performance.now();
  startTime = show.t[0]; label(); return draw(); }
async function step(now) {
  if (!playing) return;
  const span = show.t[show.t.length - 1] - show.t[0], speed = show.mode ? 1 : Number(el("speed").value);
  let t = startTime + (now - begun) / 1000 * speed - show.t[0];
  t = show.t[0] + (span > 0 ? t % span : 0);
  let k = 0; while (k + 1 < show.t.length && show.t[k + 1] <= t) k++;
  if (k !== frame && !busy) { frame = k; label(); busy = true; await draw(); busy = false; }
  requestAnimationFrame(step);
}
function toggle() { playing = !playing; el("play").textContent = playing ? "Pause" : "Play";
  begun = performance.now(); startTime = show.t[frame]; if (playing) requestAnimationFrame(step); }
el("play").addEventListener("click", toggle);
el("time").addEventListener("input", () => { frame = Number(el("time").value); begun = performance.now();
  startTime = show.t[frame]; label(); draw(); });
el("magnify").addEventListener("change", draw);
el("speed").addEventListener("change", () => { begun = performance.now(); startTime = show.t[frame]; });
DATA.shows.forEach((s, k) => { const o = document.createElement("option"); o.value = k;
  o.textContent = s.label; el("what").append(o); });
el("what").addEventListener("change", () => choose(Number(el("what").value)));
const wait = [choose(0)];
for (const c of DATA.curves) {
  const div = document.createElement("div"); div.className = "curve"; el("curves").append(div);
  div.style.height = Math.max(350, 110 + 19 * c.lines.length) + "px";  // room for the whole legend
  wait.push(Plotly.newPlot(div, c.lines.map(l => ({type: "scatter", mode: l.mode || "lines",
    x: Array.from(floats(l.x)), y: Array.from(floats(l.y)), name: l.name,
    line: {dash: l.dash, color: l.color, width: 1.8}})), {title: {text: c.title, font: {size: 15}},
    margin: {l: 75, r: 20, t: 40, b: 45},
    showlegend: true, legend: {font: {size: 11}}, xaxis: {title: {text: c.x}, ...(c.whole ? {dtick: 1} : {})},
    yaxis: {title: {text: c.y}, exponentformat: "power", ...(c.log ? {type: "log", dtick: 1} : {})},
    hovermode: "x unified"},
    {responsive: true, displaylogo: false}));
}
Promise.all(wait).then(() => { document.body.dataset.ready = "yes"; });
"""
