// The circle of hashes: each server's arcs, and where a key lies.

const OUTER = 100, INNER = 72;

class Ring {
  constructor(svg) { this.svg = svg; this.known = ""; this.key = null; }

  async update(pool, servers) {
    const known = pool.name + " " + pool.membership;
    if (known !== this.known) {
      this.known = known;
      this.key = null;
      const answer = await fetch("/ring.json?pool=" +
        encodeURIComponent(pool.name));
      this.arcs = answer.ok ? await answer.json() : {ends: [], owners: []};
      this.paths = this.shapes(pool);
    }
    this.show(pool, servers);
  }

  shapes(pool) {
    const shapes = pool.servers.map(() => "");
    let {ends, owners} = this.arcs, from = 0;
    if (!ends.length) {
      owners = pool.servers.map((_, i) => i);
      ends = owners.map((i) => pool.servers.slice(0, i + 1)
        .reduce((sum, s) => sum + s.share, 0));
    }
    ends.forEach((to, i) => {
      shapes[owners[i]] += this.sector(from, to);
      from = to;
    });
    return shapes;
  }

  at(part, radius) {
    const angle = 2 * Math.PI * part;
    return (radius * Math.sin(angle)).toFixed(2) + " " +
      (-radius * Math.cos(angle)).toFixed(2);
  }

  sector(from, to) {
    if (to - from > 0.5) {
      const middle = (from + to) / 2;
      return this.sector(from, middle) + this.sector(middle, to);
    }
    return "M" + this.at(from, OUTER) + "A" + OUTER + " " + OUTER + " 0 0 1 " +
      this.at(to, OUTER) + "L" + this.at(to, INNER) + "A" + INNER + " " +
      INNER + " 0 0 0 " + this.at(from, INNER) + "Z";
  }

  show(pool, servers) {
    const down = servers.filter((s) => isDown(s)).length;
    this.svg.replaceChildren(...servers.map((server, i) => draw("path", {
      d: this.paths[i], fill: colour(i), "data-server": server.name,
      class: "arc" + (isDown(server) ? " down" : "") +
        (this.picked === server.name ? " is-picked" : "")})),
      draw("text", {class: "middle", y: -6}, pool.name),
      draw("text", {class: "small", y: 10}, pool.placement +
        (pool.points ? ", " + pool.points + " points" : "")),
      draw("text", {class: down ? "bad-word" : "small", y: 26},
        down ? down + " of " + many(servers.length, "server") + " down" :
        this.words(servers)));
    this.svg.classList.toggle("picked", Boolean(this.picked));
    if (this.key) this.mark();
    $("ring-words").textContent = this.arcs.ends.length ?
      "The circle of hashes. A key belongs to the first point clockwise." :
      "This placement has no circle: slices are shares.";
  }

  // Short enough for the middle.
  words(servers) {
    const words = stateWords(servers), all = many(servers.length, "server");
    return words.includes(",") ? servers.filter((server) =>
      stateOf(server)[0] === "good").length + " of " + all + " up" : words;
  }

  mark() {
    const {at, point} = this.key, far = point >= at ? point : point + 1;
    let path = "M" + this.at(at, INNER - 6) + "L" + this.at(at, OUTER + 6);
    if (far - at > 0.0005)
      path += "M" + this.at(at, OUTER + 4) + "A" + (OUTER + 4) + " " +
        (OUTER + 4) + " 0 " + (far - at > 0.5 ? 1 : 0) + " 1 " +
        this.at(far, OUTER + 4);
    const [x, y] = this.at(point, OUTER + 4).split(" ");
    this.svg.append(draw("path", {class: "key", d: path}),
      draw("circle", {class: "dot", r: 4, cx: x, cy: y}));
  }

  pick(name) {
    this.picked = name;
    this.svg.classList.toggle("picked", Boolean(name));
    for (const arc of this.svg.querySelectorAll(".arc"))
      arc.classList.toggle("is-picked", arc.dataset.server === name);
  }
}
