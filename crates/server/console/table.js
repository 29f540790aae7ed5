// The table of models.

import { element, rounded, size, spark, time } from "./dom.js";

/** Shows all models. `select` is called with the row that is chosen, `act` to load or unload; `admin` tells whether it may be. */
export function showTable(rows, { live, chosen, admin, busy, select, act }) {
  const body = document.querySelector("#models tbody");
  const focused = document.activeElement?.dataset?.key;
  body.replaceChildren(...rows.map((row) => line(row, { live, chosen, admin, busy, select, act })));
  // The table is made anew each second; the keyboard's place stays.
  if (focused) body.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  document.querySelector("#none").hidden = rows.length > 0;
}

function line({ name, version, state, reason, counters }, { live, chosen, admin, busy, select, act }) {
  const { rates, latest } = live.of(name, version);
  const ready = state === "READY";
  const action = ready ? "unload" : "load";
  const title = version ? `${name} (version ${version})` : name;
  const open = element("button", { class: "link", type: "button", "data-key": `open ${title}`, onclick: () => select(name, version) }, title);
  const memory = counters?.memory_usage?.reduce((sum, use) => sum + use.byte_size, 0);
  const number = (text) => element("td", { class: "number" }, text);
  return element(
    "tr",
    { class: chosen?.name === name && chosen?.version === version ? "selected" : undefined },
    element("td", {}, ready ? open : title),
    element("td", {}, element("span", { class: `state ${state ?? ""}`, title: reason }, (state ?? "not loaded").toLowerCase()), reason ? element("div", { class: "faint reason" }, reason) : undefined),
    number(ready ? rounded(latest.rate ?? 0) : "–"),
    element("td", {}, ready ? spark(rates, `requests per second of ${title} in the last minute`) : undefined),
    number(time(latest.latency)),
    number(time(latest.queue)),
    number(rounded(latest.batch)),
    number(counters ? String(counters.inference_stats.fail.count) : "–"),
    number(memory ? size(memory) : "–"),
    element(
      "td",
      {},
      admin ? element("button", { type: "button", "data-key": `${action} ${title}`, disabled: busy.has(name), onclick: () => act(name, action) }, busy.has(name) ? "…" : action) : undefined,
    ),
  );
}
