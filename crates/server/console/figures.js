// The figures of the whole server, above the table.

import { element, rounded, size } from "./dom.js";

const sum = (numbers) => numbers.reduce((total, number) => total + (number ?? 0), 0);

/** Shows the figures of all models together. */
export function showFigures(rows, live, { cores, suspended, resident, models }) {
  const ready = rows.filter((row) => row.state === "READY");
  const latest = ready.map((row) => live.of(row.name, row.version).latest);
  const memory = sum(ready.flatMap((row) => row.counters?.memory_usage ?? []).map((use) => use.byte_size));
  const figures = [
    ["Models ready", ready.length, `of ${rows.length}`],
    ["Requests/s", rounded(sum(latest.map(({ rate }) => rate)))],
    ["Waiting", sum(models.map(({ pending }) => pending)), suspended ? `${suspended} runs suspended` : undefined],
    ["Cores in use", rounded(cores * sum(latest.map(({ share }) => share))), `of ${cores}`],
    ["Memory of models", size(memory), resident ? `process ${size(resident)}` : undefined],
  ];
  const shown = figures.map(([name, value, further]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, String(value), further && element("small", {}, ` ${further}`))),
  );
  document.querySelector("#figures").replaceChildren(...shown);
}
