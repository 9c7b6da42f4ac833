"use strict";
// Numbers and elements. Whatever comes from outside goes in as text.

const $ = (id) => document.getElementById(id);

function make(tag, options = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(options))
    node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function draw(tag, attributes = {}, text) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes))
    node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

function short(n) {
  if (!Number.isFinite(n)) return "–";
  if (n >= 1e9) return (n / 1e9).toFixed(1) + " G";
  if (n >= 1e6) return (n / 1e6).toFixed(1) + " M";
  if (n >= 1e4) return (n / 1e3).toFixed(1) + " k";
  return n >= 100 || n === Math.round(n) ? n.toFixed(0) : n.toFixed(1);
}

function bytes(n) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let i = 0;
  while (n >= 1024 && i < units.length - 1) { n /= 1024; i++; }
  return (i === 0 || n >= 100 ? n.toFixed(0) : n.toFixed(1)) + " " + units[i];
}

function micros(us) {
  if (us === null || !Number.isFinite(us)) return "–";
  if (us < 1000) return us.toFixed(0) + " µs";
  if (us < 1e6) return (us / 1000).toFixed(us < 1e4 ? 1 : 0) + " ms";
  return (us / 1e6).toFixed(1) + " s";
}

function lasting(seconds) {
  const s = Math.floor(seconds);
  if (s < 60) return s + " s";
  if (s < 3600) return Math.floor(s / 60) + " min " + s % 60 + " s";
  if (s < 86400)
    return Math.floor(s / 3600) + " h " + Math.floor(s % 3600 / 60) + " min";
  return Math.floor(s / 86400) + " d " + Math.floor(s % 86400 / 3600) + " h";
}

const percent = (part, digits = 1) => (100 * part).toFixed(digits) + " %";
const many = (n, word) => n + " " + word + (n === 1 ? "" : "s");
const clock = (ms) => new Date(ms).toLocaleTimeString([], {hour12: false});

// A colour for the i-th server: far from those of its neighbours, and no red,
// which says that something is wrong.
function colour(i) {
  const hue = Math.round(40 + 280 * ((0.6 + i * 0.618034) % 1));
  return "hsl(" + hue + " var(--server-s) var(--server-l))";
}

function sparkline(values) {
  const svg = draw("svg", {viewBox: "0 0 100 20", "aria-hidden": "true",
    preserveAspectRatio: "none"});
  const most = Math.max(...values, 1e-9);
  const points = values.map((v, i) =>
    (100 - (values.length - 1 - i) * 100 / (KEPT - 1)).toFixed(1) + "," +
    (19 - 18 * v / most).toFixed(1));
  svg.append(draw("path", {class: "base", d: "M0 19.5H100"}),
    draw("polyline", {class: "spark", points: points.join(" ")}));
  return svg;
}
