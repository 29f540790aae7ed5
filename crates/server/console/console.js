// The console: models, what they do now, and requests to try.

import * as api from "./api.js";
import { rounded } from "./dom.js";
import { Live } from "./live.js";
import { showModel } from "./model.js";
import { showTable } from "./table.js";

/** The time between two readings, in milliseconds. */
const PAUSE = 1000;

const live = new Live();
const busy = new Set();
let admin = false;
let chosen;
let rows = [];
let update = () => {};

const trouble = (text) => {
  const place = document.querySelector("#trouble");
  place.hidden = !text;
  place.textContent = text;
};

function show() {
  showTable(rows, { live, chosen, admin, busy, select, act });
  const ready = rows.filter((row) => row.state === "READY");
  const rate = ready.reduce((sum, row) => sum + (live.of(row.name, row.version).latest.rate ?? 0), 0);
  document.querySelector("#summary").textContent = `${ready.length} of ${rows.length} ready, ${rounded(rate)} requests/s`;
  update(rows.find((row) => row.name === chosen?.name && row.version === chosen?.version)?.counters);
}

async function read() {
  const [index, counters] = await Promise.all([api.index(), api.statistics()]);
  live.add(counters, performance.now());
  const found = (row) => counters.find((model) => model.name === row.name && model.version === row.version);
  rows = index.map((row) => ({ ...row, counters: found(row) }));
  show();
}

async function select(name, version) {
  const choice = { name, version };
  chosen = choice;
  update = () => {};
  show();
  const shown = await showModel(name, version);
  if (chosen === choice) update = shown;
  show();
}

async function act(name, action) {
  busy.add(name);
  show();
  try {
    await api.control(name, action);
    trouble("");
  } catch (error) {
    trouble(`${name}: ${error.message}`);
  }
  busy.delete(name);
  await read().catch(() => {});
}

async function watch() {
  let failed = false;
  for (;;) {
    try {
      await read();
      if (failed) trouble("");
      failed = false;
    } catch (error) {
      failed = true;
      trouble(`The server does not answer (${error.message}). The next try follows by itself.`);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}

async function start() {
  try {
    const [{ name, version }, rights] = await Promise.all([api.server(), api.rights()]);
    document.querySelector("#version").textContent = `${name} ${version}`;
    admin = rights.control;
  } catch {
    // `watch` tells that the server does not answer.
  }
  watch();
}

start();
