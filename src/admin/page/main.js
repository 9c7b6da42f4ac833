// One look each second.

const ring = new Ring($("ring"));
let series = new Map(), pid = 0, chosen = null, failing = 0,
  latest = null;

function seriesOf(pool, server) {
  const name = pool.name + " " + server.name;
  if (!series.has(name)) series.set(name, new Series());
  return series.get(name);
}

function record(status) {
  if (status.pid !== pid) series = new Map();
  pid = status.pid;
  seriesOf({name: ""}, {name: ""}).look(status.now_ms, status.counters,
    status.requests.buckets);
  for (const pool of status.pools)
    for (const server of pool.servers)
      seriesOf(pool, server).look(status.now_ms, {
        requests: server.counters.requests,
        failures: failures(server.counters)}, server.buckets);
}

function choosePool(status) {
  const names = status.pools.map((pool) => pool.name), select =
    $("pool-select");
  if (!names.includes(chosen)) {
    const ill = status.pools.find((pool) => pool.servers.some(isDown));
    chosen = (ill ?? status.pools[0]).name;
  }
  if (names.join() !== [...select.options].map((o) => o.value).join())
    select.replaceChildren(...names.map((name) =>
      make("option", {value: name}, name)));
  select.value = chosen;
  $("pool-choice").hidden = names.length < 2;
  return status.pools.find((pool) => pool.name === chosen);
}

async function show(status) {
  latest = status;
  record(status);
  const pool = choosePool(status);
  setText($("about"), status.version + " at " + location.host + ", up " +
    lasting(status.uptime_seconds) + ", generation " + status.generation +
    " of " + status.config);
  showVerdict(status);
  showTiles(status, seriesOf({name: ""}, {name: ""}));
  showServers(pool, status, seriesOf);
  showReloads(status);
  showClients(status);
  showHotKeys(status);
  await ring.update(pool, pool.servers);
}

async function look() {
  try {
    const answer = await fetch("/status.json",
      {signal: AbortSignal.timeout(5000)});
    if (!answer.ok) throw new Error("it says " + answer.status);
    await show(await answer.json());
    failing = 0;
    setText($("pulse"), "as of " + clock(Date.now()));
  } catch (error) {
    failing ||= Date.now();
    $("verdict").className = "bad";
    shown = "";
    setText($("headline"), "No answer from Fairlead");
    $("problems").replaceChildren(make("li", {}, "Since " + clock(failing) +
      ". What is shown below is how it was."));
    document.title = "✖ No answer – Fairlead";
  }
  document.body.classList.toggle("stale", failing !== 0);
  document.body.dataset.looks = String(
    Number(document.body.dataset.looks ?? 0) + 1);
}

// As the table words it, of a server that /locate names.
function stateWord(poolName, {server: name, state}) {
  const pool = latest?.pools.find((one) => one.name === poolName);
  const server = pool?.servers.find((one) => one.name === name);
  return server ? stateOf(server)[1].slice(2) : state;
}

async function locate(event) {
  event.preventDefault();
  const key = $("key").value, found = $("found");
  const answer = await fetch("/locate?key=" + encodeURIComponent(key));
  if (!answer.ok) {
    ring.key = null;
    setText(found, (await answer.text()).trim());
    return;
  }
  const told = await answer.json(), [owner, ...next] = told.owners;
  chosen = told.pool;
  await look();
  found.replaceChildren(make("b", {}, owner.server), " (" + owner.address +
    ", " + stateWord(told.pool, owner) + ") of pool " + told.pool + ".",
    next.length ? " After it: " + next.map((o) => o.server).join(", ") + "." :
      "");
  ring.key = told.at === null ? null : told;
  ring.pick(owner.server);
  await look();
}

async function run() {
  if (!document.hidden) await look();
  setTimeout(run, 1000);
}

$("locate").addEventListener("submit", locate);
$("key").addEventListener("input", () => {
  ring.key = null;
  ring.pick(null);
});
$("pool-select").addEventListener("change", (event) => {
  chosen = event.target.value;
  look();
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) look();
});
run();
