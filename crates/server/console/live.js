// Rates from counters: what changed between two readings.

/** Rates of the last minute, one for each reading. */
const KEPT = 60;

/** Readings of one version of a model. */
class Series {
  constructor() {
    this.rates = [];
    this.latest = {};
  }

  /** Adds a reading of counters, `now` in milliseconds. */
  add(counters, now) {
    const { before, at } = this;
    this.before = counters;
    this.at = now;
    // A model that was loaded again counts from 0.
    if (!before || counters.inference_stats.success.count < before.inference_stats.success.count) return;
    const change = (pick) => pick(counters) - pick(before);
    const requests = change((model) => model.inference_stats.success.count);
    const runs = change((model) => model.execution_count);
    this.rates.push(requests / ((now - at) / 1000));
    if (this.rates.length > KEPT) this.rates.shift();
    this.latest.rate = this.rates.at(-1);
    if (requests > 0) {
      this.latest.latency = change((model) => model.inference_stats.success.ns) / requests;
      this.latest.queue = change((model) => model.inference_stats.queue.ns) / requests;
    }
    if (runs > 0) this.latest.batch = change((model) => model.inference_count) / runs;
  }
}

/** Readings of all models, by name and version. */
export class Live {
  #series = new Map();

  /** Adds readings of all models. */
  add(models, now) {
    for (const model of models) this.of(model.name, model.version).add(model, now);
  }

  /** The readings of a version. */
  of(name, version) {
    const key = `${name}\n${version}`;
    if (!this.#series.has(key)) this.#series.set(key, new Series());
    return this.#series.get(key);
  }
}
