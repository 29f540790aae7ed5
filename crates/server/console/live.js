// Rates from counters: what changed between two readings.

/** Rates of the last minute, one for each reading. */
const KEPT = 60;

/** Readings of one version of a model. */
class Series {
  constructor() {
    this.rates = [];
    this.latest = {};
  }

  /** Adds a reading of counters, with the figures of the same model, `now` in microseconds. */
  add(counters, figures, { now_us: now, cores }) {
    const before = this.before;
    this.before = { counters, figures, now };
    // A model that was loaded again counts from 0.
    const success = (of) => of.inference_stats.success;
    if (!before || now <= before.now || success(counters).count < success(before.counters).count) return;
    const change = (pick) => pick(counters) - pick(before.counters);
    const requests = change((of) => success(of).count);
    const runs = change((of) => of.execution_count);
    const passed = now - before.now;
    this.rates.push(requests / (passed / 1e6));
    if (this.rates.length > KEPT) this.rates.shift();
    this.latest.rate = this.rates.at(-1);
    this.latest.share = part(figures?.core_us, before.figures?.core_us, passed * cores);
    if (requests > 0) {
      this.latest.latency = change((of) => success(of).ns) / requests;
      this.latest.queue = change((of) => of.inference_stats.queue.ns) / requests;
    }
    if (runs > 0) this.latest.batch = change((of) => of.inference_count) / runs;
  }
}

/** The part of the cores' time that passed; `undefined` for models that have none, or were loaded again. */
function part(used, before, passed) {
  return used >= before ? Math.min((used - before) / passed, 1) : undefined;
}

/** Readings of all models, by name and version. */
export class Live {
  #series = new Map();

  /** Adds readings of all models. */
  add(models, figures) {
    for (const model of models) {
      const same = ({ name, version }) => name === model.name && version === model.version;
      this.of(model.name, model.version).add(model, figures.models.find(same), figures);
    }
  }

  /** The readings of a version. */
  of(name, version) {
    const key = `${name}\n${version}`;
    if (!this.#series.has(key)) this.#series.set(key, new Series());
    return this.#series.get(key);
  }
}
