// A search for sentences by their meaning, for models that turn texts into vectors.

import { button, element, rounded } from "./dom.js";
import { request } from "./texts.js";

const QUERY = "borrow an astronomy instrument";
const SENTENCES = `The library lends telescopes to anyone with a card.
Bread dough rises slowly in a cold kitchen.
Owls hunt by ear and can catch a mouse under snow.
The ferry does not sail when the wind blows over forty knots.
Interest compounds: a debt at seven per cent doubles in about ten years.
Snow fences along the pass keep drifts off the railway line.`;

/** The form; `null` if the model does not have one text as its input, and one vector among its outputs. */
export function search({ inputs, outputs }, largestBatch, infer) {
  const [input] = inputs;
  const isVector = ({ datatype, shape }) => datatype === "FP32" && shape.length === 2 && shape[1] > 1;
  const output = outputs.find(isVector);
  if (inputs.length !== 1 || input.datatype !== "BYTES" || !output) return null;
  const query = element("input", { id: "query", value: QUERY });
  const area = element("textarea", { id: "sentences" });
  area.value = SENTENCES;
  const result = element("div", { role: "status" });
  const embed = async (texts) => {
    const rows = [];
    const step = largestBatch || texts.length;
    for (let at = 0; at < texts.length; at += step) {
      const part = texts.slice(at, at + step);
      const { answer } = await infer({ ...request(input, part), outputs: [{ name: output.name }] });
      const { data, shape } = answer.outputs[0];
      part.forEach((_, row) => rows.push(data.slice(row * shape[1], (row + 1) * shape[1])));
    }
    return rows;
  };
  const send = async (event) => {
    event?.preventDefault();
    const sentences = area.value.split("\n").filter((text) => text.trim());
    try {
      const start = performance.now();
      const [wanted, ...vectors] = await embed([query.value, ...sentences]);
      const ms = performance.now() - start;
      const ranked = sentences.map((text, at) => ({ text, score: cosine(wanted, vectors[at]) })).sort((a, b) => b.score - a.score);
      result.replaceChildren(
        element("ol", { class: "found" }, ...ranked.map(({ text, score }) => element("li", {}, element("span", {}, score.toFixed(2)), element("span", {}, text)))),
        element("p", { class: "faint" }, `${rounded(ms)} ms for ${sentences.length + 1} texts, with the way through the browser`),
      );
    } catch (error) {
      result.replaceChildren(element("p", { class: "fault" }, error.message));
    }
  };
  return element(
    "form",
    { onsubmit: send },
    element("label", { for: "query" }, "Search for"),
    query,
    element("label", { for: "sentences" }, "Among these sentences, one a line"),
    area,
    element("div", { class: "actions" }, button("Search", { class: "main", type: "submit" })),
    result,
  );
}

/** The cosine of the angle between two vectors; 0 if one of them is zero. */
function cosine(one, other) {
  const dot = (a, b) => a.reduce((sum, value, at) => sum + value * b[at], 0);
  const lengths = Math.sqrt(dot(one, one) * dot(other, other));
  return lengths > 0 ? dot(one, other) / lengths : 0;
}
