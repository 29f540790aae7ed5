// Requests that a visitor tries: a digit that is drawn, texts, or any request as JSON.

import { digit } from "./digit.js";
import { button, element, rounded } from "./dom.js";
import { search } from "./search.js";
import { texts } from "./texts.js";

/** The most elements for which an example request is written out. */
const MOST = 4096;

/** The elements of the form that fits a model. `infer` runs a request. */
export function trial(metadata, largestBatch, infer) {
  const own = digit(metadata, infer) ?? search(metadata, largestBatch, infer) ?? texts(metadata, infer);
  if (!own) return raw(metadata, infer);
  return [own, element("details", {}, element("summary", {}, "Any request as JSON"), ...raw(metadata, infer))];
}

/** Any request, beginning with one of zeros. */
function raw({ inputs }, infer) {
  const area = element("textarea", { class: "code", "aria-label": "Request", spellcheck: "false" });
  area.value = example(inputs);
  const result = element("pre", { role: "status", hidden: true });
  const send = async () => {
    result.hidden = false;
    try {
      const { answer, ms } = await infer(area.value);
      result.classList.remove("fault");
      result.textContent = `${rounded(ms)} ms\n${written(answer)}`;
    } catch (error) {
      result.classList.add("fault");
      result.textContent = error.message;
    }
  };
  return [area, element("div", { class: "actions" }, button("Run", { class: "main", onclick: send })), result];
}

/** The answer, with long data cut. */
function written(answer) {
  if (answer.text) return answer.text;
  const lines = (answer.outputs ?? []).map(({ name, datatype, shape, data = [] }) => {
    const values = data.slice(0, 32).map((value) => JSON.stringify(value)).join(", ");
    return `${name} ${datatype}[${shape.join(", ")}]: ${values}${data.length > 32 ? `, … (${data.length})` : ""}`;
  });
  return lines.join("\n");
}

function example(inputs) {
  const zero = { BOOL: false, BYTES: "text" };
  const tensors = inputs.map(({ name, datatype, shape }) => {
    const dims = shape.map((dim) => (dim === -1 ? 1 : dim));
    const count = dims.reduce((product, dim) => product * dim, 1);
    return { name, datatype, shape: dims, data: Array(Math.min(count, MOST)).fill(zero[datatype] ?? 0) };
  });
  const lines = tensors.map((tensor) => `  ${JSON.stringify(tensor)}`);
  return `{"inputs": [\n${lines.join(",\n")}\n]}`;
}
