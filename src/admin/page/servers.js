// The table of servers.

const STATES = {
  up: ["good", "● up"], suspect: ["warn", "◐ suspect"],
  trial: ["warn", "◑ on trial"], down: ["bad", "✖ down"],
  unresolved: ["bad", "✖ unresolved"],
};
const isDown = (server) => server.state === "down" ||
  server.state === "unresolved";

// All reasons for which requests fail, as one counter.
function failures(counters) {
  return Object.entries(counters).reduce((sum, [name, n]) =>
    name.startsWith("failed_") ? sum + n : sum, 0);
}

// A server that never answered is not called up.
function unproven(counters) {
  if (failures(counters) > 0) return ["warn", "◐ not heard from yet"];
  return ["idle", counters.requests ? "○ not heard from yet" :
    "○ not used yet"];
}

function stateOf(server) {
  if (server.state === "up" && !server.has_answered)
    return unproven(server.counters);
  return STATES[server.state] ?? ["warn", "? " + server.state];
}

// How many servers are in which state: "2 servers up, 1 not used yet".
function stateWords(servers) {
  const counts = new Map();
  for (const server of servers) {
    const word = stateOf(server)[1].slice(2);
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].map(([word, n], i) => (i ? n : many(n, "server")) +
    " " + word).join(", ");
}

// When it went down, as a time that stays the same from look to look.
const downSince = new Map();

function since(pool, server, nowMs) {
  const name = pool.name + " " + server.name;
  if (server.down_seconds === null) downSince.delete(name);
  else if (!downSince.has(name))
    downSince.set(name, clock(nowMs - 1000 * server.down_seconds));
  return downSince.get(name);
}

function why(pool, server, nowMs) {
  const words = [], at = since(pool, server, nowMs);
  if (at) words.push("since " + at);
  if (stateOf(server)[0] !== "good" && server.last_failure)
    words.push(server.last_failure);
  return words.join(": ");
}

// What a pool does for the keys of a server that is down.
const READS_MISS = "reads of its keys miss, writes fail";
const FATES = {
  miss: READS_MISS, error: "requests for its keys fail",
  next: "its keys go to the next server", gutter: "its keys go to the gutter",
};

// The same of one that is: keys go elsewhere only where there is a server
// left, and only from one that was reached once.
function fateOf(pool, server) {
  const maySwitch = server.state === "down" &&
    !(pool.on_down === "next" && pool.servers.every(isDown));
  return maySwitch || pool.on_down === "error" ? FATES[pool.on_down] :
    READS_MISS;
}

// Shares of many servers are small: bars compare them, the longest being
// whole, and have no track that would look like all keys.
function shareBar(server, i, scale) {
  const fill = make("i"), ideal = make("u"), bar = make("div",
    {class: "bar bare", "aria-hidden": "true"}, fill, ideal);
  fill.style.width = 100 * server.share / scale + "%";
  fill.style.background = colour(i);
  ideal.style.left = "calc(" + 100 * server.ideal / scale + "% - 2px)";
  return make("td", {class: "wide", "data-name": "share of keys"},
    percent(server.share) + " ", make("span", {class: "quiet"}, "ideal " +
      percent(server.ideal) + (server.weight === 1 ? "" : ", weight " +
      server.weight)), bar);
}

function number(name, text, ...more) {
  return make("td", {class: "n", "data-name": name}, text, ...more);
}

// Times of the last looks; of a server that is down they would be old.
function time(name, server, us) {
  return number(name, isDown(server) ? "–" : micros(us));
}

function serverRow(pool, i, status, series, scale) {
  const server = pool.servers[i], [kind, word] = stateOf(server);
  const bounds = status.bounds_us;
  const swatch = make("span", {class: "swatch", "aria-hidden": "true"});
  const row = make("tr", isDown(server) ? {class: "bad"} : {},
    make("th", {scope: "row"}, swatch, server.name,
      server.address === server.name ? "" :
        make("div", {class: "quiet"}, server.address)),
    make("td", {class: "wide"}, make("span", {class: "mark " + kind}, word),
      make("div", {class: "quiet"}, why(pool, server, status.now_ms))),
    number("sent/s", short(series.rate("requests")),
      sparkline(series.list("requests"))),
    number("failed/s", short(series.rate("failures"))),
    time("p50", server, series.quantile(bounds, 0.5)),
    time("p99", server, series.quantile(bounds, 0.99)),
    number("in flight", short(server.counters.in_flight)),
    shareBar(server, i, scale));
  swatch.style.background = colour(i);
  row.addEventListener("mouseenter", () => ring.pick(server.name));
  row.addEventListener("mouseleave", () => ring.pick(null));
  return row;
}

// What is wrong stands first.
const GRAVITY = {bad: 0, warn: 1, idle: 2, good: 3};

function showServers(pool, status, seriesOf) {
  const scale = Math.max(...pool.servers.map((s) =>
    Math.max(s.share, s.ideal)), 1e-9);
  const order = pool.servers.map((server, i) => i).sort((a, b) =>
    GRAVITY[stateOf(pool.servers[a])[0]] -
    GRAVITY[stateOf(pool.servers[b])[0]] || a - b);
  $("servers").tBodies[0].replaceChildren(...order.map((i) => serverRow(pool,
    i, status, seriesOf(pool, pool.servers[i]), scale)));
  $("pool-facts").textContent = "If a server is down, " +
    FATES[pool.on_down] +
    " · membership " + pool.membership;
}
