// The chosen model: its tensors, its batches and a request to try.

import * as api from "./api.js";
import { element, rounded, time } from "./dom.js";
import { trial } from "./trial.js";

/** Shows a model once; `update` keeps its counters up to date. Returns `update`. */
export async function showModel(name, version) {
  // A place of its own: another model may be chosen before this one's answers come.
  const place = element("div", {}, element("h2", { id: "model-title" }, `${name}, version ${version}`));
  const section = document.querySelector("#model");
  section.hidden = false;
  section.replaceChildren(place);
  try {
    const [metadata, config] = await Promise.all([api.metadata(name, version), api.config(name, version)]);
    const bars = element("div", { class: "bars" });
    const about = [
      `Platform ${metadata.platform || config.backend}`,
      config.max_batch_size > 0 ? `batches of up to ${config.max_batch_size}` : "no batches",
      ...(config.parameters?.share ? [`share ${config.parameters.share.string_value}`] : []),
    ];
    place.append(
      element("p", { class: "faint" }, `${about.join(", ")}.`),
      tensors("Inputs", metadata.inputs),
      tensors("Outputs", metadata.outputs),
      element("h3", {}, "Runs by batch size"),
      bars,
      element("h3", {}, "Try it"),
      trial(metadata, (request) => api.infer(name, version, request)),
      element("details", {}, element("summary", {}, "Configuration"), element("pre", {}, JSON.stringify(config, null, 2))),
    );
    return (counters) => showBatches(bars, counters?.batch_stats ?? []);
  } catch (error) {
    place.append(element("p", { class: "fault" }, error.message));
    return () => {};
  }
}

function tensors(title, list) {
  const rows = list.map(({ name, datatype, shape }) =>
    element("tr", {}, element("td", {}, name), element("td", {}, datatype), element("td", {}, `[${shape.join(", ")}]`)),
  );
  return element("div", {}, element("h3", {}, title), element("div", { class: "scroll" }, element("table", {}, element("tbody", {}, ...rows))));
}

function showBatches(bars, batches) {
  const runs = (batch) => batch.compute_infer.count;
  const most = Math.max(...batches.map(runs), 1);
  const lines = batches.flatMap((batch) => {
    const bar = element("i");
    bar.style.width = `${(100 * runs(batch)) / most}%`;
    const text = `${rounded(runs(batch))} runs of ${time(batch.compute_infer.ns / runs(batch))}`;
    return [element("span", {}, String(batch.batch_size)), bar, element("span", { class: "faint" }, text)];
  });
  bars.replaceChildren(...(lines.length ? lines : [element("span", { class: "faint" }, "No runs yet.")]));
}
