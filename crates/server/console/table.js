// The table of models.

import { button, element, meter, percent, rounded, size, spark, time } from "./dom.js";

/** Shows all models. `select` is called with the row that is chosen, `act` to load or unload; `admin` tells whether it may be. */
export function showTable(rows, context) {
  const body = document.querySelector("#models tbody");
  const focused = document.activeElement?.dataset?.key;
  body.replaceChildren(...rows.flatMap((row) => lines(row, context)));
  // The table is made anew each second; the keyboard's place stays.
  if (focused) body.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  document.querySelector("#none").hidden = rows.length > 0;
}

/** The line of a version, and that of the reason why it is not ready. */
function lines({ name, version, state, reason, counters, figures }, { live, chosen, admin, busy, select, act }) {
  const { rates, latest } = live.of(name, version);
  const ready = state === "READY";
  const title = version ? `${name}, version ${version}` : name;
  const figure = (label, ...children) => element("td", { class: "figure number", "data-label": label }, ...children);
  const memory = counters?.memory_usage?.reduce((sum, use) => sum + use.byte_size, 0);
  const waiting = figures?.pending ? `, ${rounded(figures.pending)} wait` : "";
  const open = button(title, { class: "link", "data-key": `open ${title}`, onclick: () => select(name, version) });
  const action = ready ? "unload" : "load";
  const control = () =>
    button(busy.has(name) ? "…" : action, {
      "aria-label": `${action} ${name}`,
      "data-key": `${action} ${title}`,
      disabled: busy.has(name),
      onclick: () => act(name, action),
    });
  const selected = chosen?.name === name && chosen?.version === version;
  const cells = [
    element("td", { class: "name" }, ready ? open : title),
    element("td", { class: "state" }, element("span", { class: `state ${state ?? ""}` }, (state ?? "not loaded").toLowerCase())),
    element("td", { class: "break" }),
  ];
  if (ready) {
    cells.push(
      figure("Requests/s", rounded(latest.rate ?? 0)),
      element("td", { class: "line" }, spark(rates, `requests per second of ${title} in the last minute`)),
      figure("Latency", time(latest.latency)),
      figure("Queue", `${time(latest.queue)}${waiting}`),
      figure("Batch", rounded(latest.batch)),
      share(latest.share, figures?.weight),
      figure("Failed", rounded(counters?.inference_stats.fail.count)),
      figure("Memory", memory ? size(memory) : "–"),
    );
  } else {
    cells.push(element("td", { class: "line", colspan: 8 }));
  }
  cells.push(element("td", { class: "control number" }, admin ? control() : undefined));
  const line = element("tr", { class: selected ? "selected" : undefined }, ...cells);
  if (!reason) return [line];
  return [line, element("tr", { class: "reason" }, element("td", { colspan: 11 }, reason))];
}

/** The part of the cores that a model has, and its weight. */
function share(part, weight) {
  const text = part === undefined ? "–" : percent(part);
  const own = weight === undefined ? "" : ` weight ${weight}`;
  const words = element("span", {}, text, element("span", { class: "faint" }, own));
  return element("td", { class: "figure", "data-label": "Share" }, words, meter(part ?? 0));
}
