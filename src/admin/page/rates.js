// What happened lately, from the differences between looks.

const KEPT = 60;         // points of a sparkline
const WINDOW = 10;       // looks that percentiles are of
const SHORTEST_MS = 500; // between looks that make a rate

class Series {
  constructor() { this.looks = []; this.rates = {}; this.last = null; }

  // `counters` by name, and the cumulated buckets of a histogram.
  look(atMs, counters, buckets) {
    if (this.last) {
      const passed = atMs - this.last.atMs;
      if (passed >= 0 && passed < SHORTEST_MS) return;
      const s = Math.max(0.001, passed / 1000);
      for (const [name, n] of Object.entries(counters)) {
        const list = this.rates[name] ??= [];
        list.push(Math.max(0, n - (this.last.counters[name] ?? n)) / s);
        if (list.length > KEPT) list.shift();
      }
    }
    this.last = {atMs, counters};
    this.looks.push(buckets);
    if (this.looks.length > WINDOW + 1) this.looks.shift();
  }

  list(name) { return this.rates[name] ?? []; }
  rate(name) { return this.list(name).at(-1) ?? 0; }

  // The time within which `share` of the last requests were answered.
  quantile(bounds, share) {
    const first = this.looks[0], last = this.looks.at(-1);
    if (!first || this.looks.length < 2) return null;
    const n = last.map((count, i) => count - (first[i] ?? 0));
    if (!(n.at(-1) > 0)) return null;
    const wanted = share * n.at(-1);
    const i = n.findIndex((count) => count >= wanted);
    const low = i > 0 ? bounds[i - 1] : 0, below = i > 0 ? n[i - 1] : 0;
    return low + (bounds[i] - low) * (wanted - below) / (n[i] - below);
  }
}
