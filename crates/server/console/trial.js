// Requests that a visitor tries: a digit that is drawn, texts, or any request as JSON.

import { element, rounded } from "./dom.js";

/** The most elements for which an example request is written out. */
const MOST = 4096;

/** The form that fits a model. `infer` runs a request. */
export function trial(metadata, infer) {
  const result = element("pre", { role: "status" }, "The answer appears here.");
  const run = async (request) => {
    try {
      const { answer, ms } = await infer(typeof request === "string" ? parsed(request) : request);
      result.classList.remove("fault");
      result.textContent = `${rounded(ms)} ms, as the browser measures it\n${shown(answer)}`;
    } catch (error) {
      result.classList.add("fault");
      result.textContent = error.message;
    }
  };
  const own = digit(metadata, run) ?? texts(metadata, run);
  const json = raw(metadata, run);
  const form = own ? element("details", {}, element("summary", {}, "Any request as JSON"), json) : json;
  return element("div", { class: "try" }, own, element("div", { class: "grow" }, form, result));
}

/** The answer, with long data cut. Classes of a digit or label come first. */
function shown(answer) {
  if (answer.text) return answer.text;
  const lines = (answer.outputs ?? []).map(({ name, datatype, shape, data = [] }) => {
    const values = data.slice(0, 32).join(", ") + (data.length > 32 ? `, … (${data.length})` : "");
    return `${name} ${datatype}[${shape.join(", ")}]: ${values}`;
  });
  return lines.join("\n");
}

/** A picture to draw, for models with one input of small square pictures in grey. */
function digit({ inputs, outputs }, run) {
  const [input] = inputs;
  const [side, other, ...more] = input?.shape.filter((dim) => dim !== -1 && dim !== 1) ?? [];
  if (inputs.length !== 1 || input.datatype !== "FP32" || side !== other || more.length || side > 64) return null;
  const canvas = element("canvas", { width: 224, height: 224, "aria-label": "draw a digit" });
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  const clear = () => {
    pen.fillStyle = "#fff";
    pen.fillRect(0, 0, 224, 224);
  };
  clear();
  pen.lineWidth = 18;
  pen.lineCap = pen.lineJoin = "round";
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pen.beginPath();
    pen.moveTo(event.offsetX, event.offsetY);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!event.buttons) return;
    pen.lineTo(event.offsetX, event.offsetY);
    pen.stroke();
  });
  const send = () => {
    const shape = input.shape.map((dim) => (dim === -1 ? 1 : dim));
    const wanted = outputs.map(({ name }) => ({ name, parameters: { classification: 3 } }));
    run({ inputs: [{ name: input.name, datatype: "FP32", shape, data: pixels(canvas, side) }], outputs: wanted });
  };
  canvas.addEventListener("pointerup", send);
  return element("div", {}, canvas, element("div", { class: "actions" }, element("button", { type: "button", class: "main", onclick: send }, "Recognise"), element("button", { type: "button", onclick: clear }, "Clear")));
}

/** The drawing as numbers of a picture of this side, 0 for white and 1 for black. It fills the picture, as those do that digits are
 *  learnt from; larger pictures (MNIST's) have a margin. */
function pixels(canvas, side) {
  const small = element("canvas", { width: side, height: side }).getContext("2d");
  small.fillStyle = "#fff";
  small.fillRect(0, 0, side, side);
  const { left, top, width, height } = drawn(canvas);
  const most = Math.max(width, height);
  const margin = side < 20 ? 0 : side / 7;
  const scale = (side - 2 * margin) / most;
  small.imageSmoothingQuality = "high";
  const place = (size) => (side - size * scale) / 2;
  small.drawImage(canvas, left, top, width, height, place(width), place(height), width * scale, height * scale);
  const { data } = small.getImageData(0, 0, side, side);
  return Array.from({ length: side * side }, (_, at) => 1 - data[4 * at] / 255);
}

/** The box around what is drawn; the whole canvas if nothing is. */
function drawn(canvas) {
  const { width, height } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  const dark = [];
  for (let at = 0; at < width * height; at += 1) if (data[4 * at] < 128) dark.push([at % width, Math.floor(at / width)]);
  if (!dark.length) return { left: 0, top: 0, width, height };
  const ends = (axis) => [Math.min, Math.max].map((end) => dark.reduce((so, point) => end(so, point[axis]), dark[0][axis]));
  const [[left, right], [top, bottom]] = [ends(0), ends(1)];
  return { left, top, width: right - left + 1, height: bottom - top + 1 };
}

/** Lines of text, for models whose only input is texts. */
function texts({ inputs }, run) {
  const [input] = inputs;
  if (inputs.length !== 1 || input.datatype !== "BYTES") return null;
  const area = element("textarea", { "aria-label": "texts, one a line" }, "How do I reset my password?\nWhere is my parcel?");
  const send = () => {
    const lines = area.value.split("\n").filter((text) => text);
    const shape = input.shape.map((dim, at) => (at === 0 && dim === -1 ? lines.length : dim === -1 ? 1 : dim));
    run({ inputs: [{ name: input.name, datatype: "BYTES", shape, data: lines }] });
  };
  return element("div", { class: "grow" }, area, element("div", { class: "actions" }, element("button", { type: "button", class: "main", onclick: send }, "Run"), element("span", { class: "faint" }, "One text a line.")));
}

/** Any request, beginning with one of zeros. */
function raw({ inputs }, run) {
  const area = element("textarea", { "aria-label": "request", spellcheck: "false" }, example(inputs));
  const send = () => run(area.value);
  return element("div", {}, area, element("div", { class: "actions" }, element("button", { type: "button", class: "main", onclick: send }, "Run")));
}

/** A request's text as a value. */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`The request is not JSON: ${error.message}`);
  }
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
