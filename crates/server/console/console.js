// The console: models, what they do now, and requests to try.

import * as api from "./api.js";
import { showFigures } from "./figures.js";
import { Live } from "./live.js";
import { showModel } from "./model.js";
import { showTable } from "./table.js";

/** The time between two readings, in milliseconds. */
const PAUSE = 1000;

const live = new Live();
const busy = new Set();
let admin = false;
let named = false;
let chosen;
let rows = [];
let figures = { models: [] };
let update = () => {};

function trouble(text) {
  const place = document.querySelector("#trouble");
  place.hidden = !text;
  place.textContent = text;
}

/** Whether two objects are of the same version of the same model. */
const same = (one, other) => one?.name === other?.name && one?.version === other?.version;

function show() {
  showFigures(rows, live, figures);
  showTable(rows, { live, chosen, admin, busy, select, act });
  update(rows.find((row) => same(row, chosen))?.counters);
}

async function read() {
  const [index, counters, shares] = await Promise.all([api.index(), api.statistics(), api.figures()]);
  figures = shares;
  live.add(counters, figures);
  rows = index.map((row) => ({
    ...row,
    counters: counters.find((model) => same(model, row)),
    figures: figures.models.find((model) => same(model, row)),
  }));
  if (!named) await readOnce();
  show();
}

/** What does not change while the server runs, and the model that the address names. */
async function readOnce() {
  const [{ name, version }, rights] = await Promise.all([api.server(), api.rights()]);
  document.querySelector("#version").textContent = `${name} ${version}`;
  document.title = name === "trident" ? "Trident" : `${name} – Trident`;
  admin = rights.control;
  named = true;
  follow();
}

/** The model that the address names, such as `#digits/1`, is shown. */
function follow() {
  const [name, version] = location.hash.slice(1).split("/").map(decodeURIComponent);
  const found = rows.find((row) => row.state === "READY" && row.name === name && row.version === version);
  if (found && !same(found, chosen)) open(found);
}

function select(name, version) {
  location.hash = [name, version].map(encodeURIComponent).join("/");
}

async function open({ name, version }) {
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

/** Asks for the value of a header that the server wants. */
function askFor(header) {
  const form = document.querySelector("#key");
  if (!form.hidden) return;
  form.hidden = false;
  document.querySelector("#key-name").textContent = header;
  const input = document.querySelector("#key-value");
  input.value = "";
  input.focus();
  form.onsubmit = (event) => {
    event.preventDefault();
    api.keep(header, header === "Authorization" ? `Bearer ${input.value}` : input.value);
    form.hidden = true;
  };
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
      if (error.header) askFor(error.header);
      trouble(error.status ? error.message : "The server does not answer. The console tries again every second.");
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}

window.addEventListener("hashchange", follow);
watch();
