// The chosen model: a request to try, its tensors, and its batches.

import * as api from "./api.js";
import { bars, element, rounded, time } from "./dom.js";
import { trial } from "./trial.js";

/** Shows a model once; `update` keeps its counters up to date. Returns `update`. */
export async function showModel(name, version) {
  const place = document.querySelector("#model");
  place.hidden = false;
  place.replaceChildren();
  try {
    const [metadata, config] = await Promise.all([api.metadata(name, version), api.config(name, version)]);
    const batches = element("div");
    const about = [
      metadata.platform || config.backend,
      config.max_batch_size > 0 ? `batches of up to ${config.max_batch_size} rows` : "no batches",
    ];
    const title = `${name}, version ${version}`;
    const infer = (request) => api.infer(name, version, request);
    place.replaceChildren(
      section(`Try ${name}`, ...trial(metadata, config.max_batch_size, infer)),
      section(
        title,
        element("p", { class: "faint" }, about.join(", ")),
        ...tensors("Inputs", metadata.inputs),
        ...tensors("Outputs", metadata.outputs),
        element("h3", {}, "Runs by batch size"),
        batches,
        element("details", {}, element("summary", {}, "Configuration"), element("pre", {}, JSON.stringify(config, null, 2))),
      ),
    );
    return (counters) => showBatches(batches, counters?.batch_stats ?? []);
  } catch (error) {
    place.replaceChildren(element("p", { class: "fault" }, `${name}: ${error.message}`));
    return () => {};
  }
}

function section(title, ...children) {
  return element("section", { "aria-label": title }, element("h2", {}, title), ...children);
}

function tensors(title, list) {
  const rows = list.map(({ name, datatype, shape }) =>
    element("tr", {}, element("td", {}, name), element("td", { class: "faint" }, `${datatype}[${shape.join(", ")}]`)),
  );
  return [element("h3", {}, title), element("div", { class: "scroll" }, element("table", {}, element("tbody", {}, ...rows)))];
}

function showBatches(place, batches) {
  const runs = (batch) => batch.compute_infer.count;
  const lines = batches.map((batch) => {
    const text = `${rounded(runs(batch))} × ${time(batch.compute_infer.ns / runs(batch))}`;
    return [String(batch.batch_size), runs(batch), text];
  });
  place.replaceChildren(lines.length ? bars(lines) : element("p", { class: "faint" }, "No runs yet."));
}
