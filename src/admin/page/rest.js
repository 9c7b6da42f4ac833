// Everything else: the verdict, figures, reloads, clients, hot keys.

// More sick servers are only counted: the table has them all.
const SERVERS_TOLD = 5;

const LINES_TOLD = 5;

// `head` alone must do as a headline; `more` ends the sentence, and others.
function problem(kind, head, more = "", lines = []) {
  return {kind, head, more: more + ".", lines};
}

function serverProblems(status) {
  const found = [];
  for (const pool of status.pools)
    for (const server of pool.servers) {
      const [kind, word] = stateOf(server);
      if (kind === "good" || kind === "idle") continue;
      const more = why(pool, server, status.now_ms);
      found.push(problem(kind, "Server " + server.name + " of pool " +
        pool.name + " is " + word.slice(2), (more ? ", " + more : "") +
        (isDown(server) ? "; " + fateOf(pool, server) : "")));
    }
  found.sort((a, b) => GRAVITY[a.kind] - GRAVITY[b.kind]);
  const rest = found.length - SERVERS_TOLD;
  return rest <= 1 ? found : [...found.slice(0, SERVERS_TOLD),
    problem("warn", "And " + rest + " more servers, in the table below")];
}

// " in line 24 of fairlead.yaml": errors begin with the file, the line and the
// column.
function inLines(errors) {
  const found = errors.map((error) => error.match(/^(.*?):(\d+):\d+: /))
    .filter(Boolean);
  const lines = [...new Set(found.map((match) => match[2]))];
  if (!lines.length) return "";
  return (lines.length === 1 ? " in line " : " in lines ") +
    lines.slice(0, LINES_TOLD).join(", ") +
    (lines.length > LINES_TOLD ? ", …" : "") + " of " +
    found[0][1].split("/").at(-1);
}

function reloadProblem(status) {
  const last = status.reloads[0];
  if (!last || last.is_success) return [];
  return [problem("warn", "The last reload was refused", " (" +
    clock(last.at_ms) + ", " + last.trigger + "): " + last.meaning +
    inLines(last.errors) + ". Generation " + last.generation + " stays in force", last.errors)];
}

function limitProblems(status) {
  const found = [], {clients, buffers, workers} = status;
  workers.forEach((worker, i) => {
    if (worker.is_stuck)
      found.push(problem("bad", "Worker " + i + " is stuck", ": its loop " +
        "has not turned for " + lasting(worker.silent_ms / 1000)));
  });
  if (clients.connected >= 0.95 * clients.limit)
    found.push(problem("warn", "Almost as many clients as may be", ": " +
      clients.connected + " of " + clients.limit));
  if (buffers.bytes >= 0.9 * buffers.limit)
    found.push(problem("warn", "Memory for buffers is short", ": " +
      bytes(buffers.bytes) + " of " + bytes(buffers.limit)));
  if (status.is_draining)
    found.push(problem("warn", "Draining", ": the process ends once its " +
      "last client has left"));
  return found;
}

function headline(found, status) {
  const all = status.pools.flatMap((pool) => pool.servers);
  const down = all.filter(isDown).length, states = stateWords(all);
  const suspect = all.filter((s) => s.state === "suspect").length;
  if (!found.length)
    return states === many(all.length, "server") + " up" ? "All " + states :
      states;
  const words = [];
  if (down) words.push(down + " of " + many(all.length, "server") + " down");
  if (down && suspect) words.push(suspect + " suspect");
  if (status.reloads[0] && !status.reloads[0].is_success)
    words.push("last reload refused");
  if (!words.length) words.push(found[0].head);
  const text = words.join(", ");
  return text[0].toUpperCase() + text.slice(1);
}

// Only what changed is written, so that a screen reader says it once.
function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

let shown = "";

function showVerdict(status) {
  const found = [...serverProblems(status), ...reloadProblem(status),
    ...limitProblems(status)];
  const isProven = status.pools.some((pool) => pool.servers.some((server) =>
    stateOf(server)[0] === "good"));
  const kind = found.some((p) => p.kind === "bad") ? "bad" :
    found.length ? "warn" : isProven ? "good" : "";
  const words = headline(found, status);
  $("verdict").className = kind;
  setText($("headline"), words);
  document.title = (found.length ? "✖ " : "") + words + " – Fairlead";
  if (shown === JSON.stringify(found)) return;
  shown = JSON.stringify(found);
  $("problems").replaceChildren(...found.map((p) => make("li", {},
    make("b", {}, p.head), p.more,
    ...(p.lines.length ? [make("pre", {}, p.lines.join("\n"))] : []))));
}

// Below the figure: how it went lately, or what it is of.
function tile(name, text, below, isBad) {
  return make("div", {class: "tile" + (isBad ? " bad" : "")},
    make("span", {class: "quiet"}, name), make("b", {}, text),
    typeof below === "string" ? make("span", {class: "quiet"}, below) :
      sparkline(below));
}

// Above the fold, where its table is not.
function hottestTile(key) {
  return make("div", {class: "tile", id: "hottest"},
    make("span", {class: "quiet"}, "Hottest key" +
      (key?.is_hidden ? " (hash)" : "")),
    make("b", key ? {class: "key", title: key.key} : {},
      key ? key.key : "–"),
    ...(key ? [make("span", {class: "quiet"}, percent(key.share) +
      " of requests")] : []));
}

function showTiles(status, all) {
  const hits = all.rate("get_hits"), misses = all.rate("get_misses");
  const failed = all.rate("server_failures");
  const lately = "in the last " + WINDOW + " s";
  $("tiles").replaceChildren(
    tile("Commands a second", short(all.rate("commands")),
      all.list("commands")),
    tile("Hit rate", hits + misses > 0 ?
      percent(hits / (hits + misses), 0) : "–", all.list("get_hits")),
    tile("Answer time, p50",
      micros(all.quantile(status.bounds_us, 0.5)), lately),
    tile("Answer time, p99",
      micros(all.quantile(status.bounds_us, 0.99)), lately),
    tile("Failures a second", short(failed),
      all.list("server_failures"), failed > 0),
    tile("Buffers", bytes(status.buffers.bytes),
      "of " + bytes(status.buffers.limit)),
    hottestTile(status.hot_keys[0]));
}

function changes(reload) {
  return reload.pools.map((pool) => {
    const words = [];
    if (pool.change !== "changed") return "pool " + pool.name + " " +
      pool.change;
    for (const what of ["added", "removed", "reweighted", "readdressed"])
      if (pool[what]) words.push(pool[what] + " " + what);
    return pool.name + ": " + (words.join(", ") || "changed") + ", " +
      percent(pool.moved) + " of keys moved";
  }).join("; ");
}

function reloadRow(reload) {
  const us = Object.values(reload.stages_us).reduce((a, b) => a + b, 0);
  const isStart = reload.trigger === "start";
  return make("li", {},
    make("div", {class: "top"},
      make("span", {class: "mark " + (reload.is_success ? "good" : "bad")},
        !reload.is_success ? "✖ refused: " + reload.result :
          "✔ " + (isStart ? "start" : reload.result)),
      make("span", {}, clock(reload.at_ms)),
      isStart ? "" : make("span", {}, reload.trigger),
      make("span", {class: "quiet"}, "generation " + reload.generation +
        (reload.is_success ? "" : " stayed") + " · took " + micros(us))),
    make("div", {class: "quiet"}, changes(reload)),
    ...(reload.errors.length ?
      [make("pre", {}, reload.errors.join("\n"))] : []));
}

let reloadsShown = "";

function showReloads(status) {
  setText($("serving"), "generation " + status.generation + " is in force");
  const now = JSON.stringify(status.reloads);
  if (now === reloadsShown) return;
  reloadsShown = now;
  $("reloads").replaceChildren(...status.reloads.map(reloadRow));
}

// Why clients went that did not want to.
const CLOSED = {
  clients_refused: "refused at the limit",
  clients_idle_closed: "closed as idle",
  clients_shed: "closed as slow, memory being short",
  clients_foreign: "closed for another protocol",
};

function showClients(status) {
  const {clients, counters} = status;
  const closed = Object.entries(CLOSED).filter(([name]) => counters[name])
    .map(([name, words]) => short(counters[name]) + " " + words);
  setText($("clients-words"), [clients.connected + " of " + clients.limit +
    " connected", ...closed].join("; ") + ".");
  $("listeners").tBodies[0].replaceChildren(...status.listeners.map((l) =>
    make("tr", {}, make("th", {scope: "row"}, l.listen,
      l.is_removed ? make("span", {class: "quiet"}, " removed") : ""),
      make("td", {}, l.pool), make("td", {class: "n"}, String(l.routes)),
      make("td", {class: "n"}, short(l.clients)),
      make("td", {class: "n"}, short(l.accepted)))));
}

// The whole track is all requests.
function hotKeyBar(share) {
  const fill = make("i");
  fill.style.width = 100 * share + "%";
  return make("div", {class: "bar", "aria-hidden": "true"}, fill);
}

function showHotKeys(status) {
  const keys = status.hot_keys;
  $("hot").hidden = !keys.length;
  $("hot-keys").tBodies[0].replaceChildren(...keys.map((row) =>
    make("tr", {}, make("th", {scope: "row"}, make("code", {}, row.key)),
      make("td", {}, hotKeyBar(row.share)),
      make("td", {class: "n"}, percent(row.share)))));
  $("hot-title").textContent = "Hot keys" +
    (keys.some((row) => row.is_hidden) ? " (hashes)" : "");
}
