// Lines of text, for models whose only input is texts.

import { button, element, rounded } from "./dom.js";

/** The request for these texts, one a row. */
export function request(input, texts) {
  const shape = input.shape.map((dim, at) => (at === 0 && dim === -1 ? texts.length : dim === -1 ? 1 : dim));
  return { inputs: [{ name: input.name, datatype: "BYTES", shape, data: texts }] };
}

/** The form; `null` if the model does not fit. */
export function texts({ inputs }, infer) {
  const [input] = inputs;
  if (inputs.length !== 1 || input.datatype !== "BYTES") return null;
  const area = element("textarea", { "aria-label": "Texts, one a line" });
  area.value = "How do I reset my password?\nWhere is my parcel?";
  const result = element("div", { role: "status" });
  const send = async () => {
    try {
      const { answer, ms } = await infer(request(input, area.value.split("\n").filter((text) => text)));
      const outputs = answer.outputs.map(({ name, shape, data }) => `${name}[${shape.join(", ")}]: ${data.slice(0, 64).join(" ")}`);
      result.replaceChildren(element("pre", {}, `${rounded(ms)} ms\n${outputs.join("\n")}`));
    } catch (error) {
      result.replaceChildren(element("p", { class: "fault" }, error.message));
    }
  };
  return element("div", {}, area, element("div", { class: "actions" }, button("Run", { class: "main", onclick: send })), result);
}
