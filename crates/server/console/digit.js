// A digit that is drawn, for models with one input of small square pictures in grey.

import { bars, button, element, percent, rounded } from "./dom.js";

const SIDE = 224;

/** The form; `null` if the model does not fit. */
export function digit({ inputs, outputs }, infer) {
  const [input] = inputs;
  const [side, other, ...more] = input?.shape.filter((dim) => dim !== -1 && dim !== 1) ?? [];
  const fits = inputs.length === 1 && input.datatype === "FP32" && side === other && !more.length && side > 3 && side <= 64;
  if (!fits) return null;
  const canvas = element("canvas", { width: SIDE, height: SIDE, "aria-label": "Draw a digit" });
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  const result = element("div", { class: "result", role: "status" });
  const clear = () => {
    pen.clearRect(0, 0, SIDE, SIDE);
    result.replaceChildren(element("p", { class: "faint" }, "Draw a digit from 0 to 9."));
  };
  const send = async () => {
    const box = drawn(canvas);
    if (!box) return clear();
    const shape = input.shape.map((dim) => (dim === -1 ? 1 : dim));
    const wanted = outputs.slice(0, 1).map(({ name }) => ({ name, parameters: { classification: 5 } }));
    const data = pixels(canvas, side, box);
    try {
      const { answer, ms } = await infer({ inputs: [{ name: input.name, datatype: "FP32", shape, data }], outputs: wanted });
      result.replaceChildren(...classes(answer, ms));
    } catch (error) {
      result.replaceChildren(element("p", { class: "fault" }, error.message));
    }
  };
  follow(canvas, pen, send);
  clear();
  const actions = element("div", { class: "actions" }, button("Clear", { onclick: clear }));
  return element("div", { class: "drawing" }, element("div", {}, canvas, actions), result);
}

/** Draws along the pointer, and calls `ended` after each stroke. */
function follow(canvas, pen, ended) {
  const at = (event) => [event.offsetX, event.offsetY];
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pen.strokeStyle = getComputedStyle(canvas).color;
    pen.lineWidth = 18;
    pen.lineCap = pen.lineJoin = "round";
    pen.beginPath();
    pen.moveTo(...at(event));
    pen.lineTo(...at(event));
    pen.stroke();
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!event.buttons) return;
    pen.lineTo(...at(event));
    pen.stroke();
  });
  canvas.addEventListener("pointerup", ended);
}

/** The classes of an answer, `value:index` or `value:index:label`. */
function classes(answer, ms) {
  const found = answer.outputs[0].data.map((text) => {
    const [, value, index, label] = /^([^:]*):([^:]*):?(.*)$/s.exec(text);
    return { name: label || index, value: Number(value) };
  });
  const lines = found.map(({ name, value }) => [name, value, percent(value)]);
  return [
    element("p", { class: "answer" }, found[0].name),
    bars(lines, { ranked: true }),
    element("p", { class: "faint" }, `${rounded(ms)} ms with the way through the browser`),
  ];
}

/** The drawing as numbers of a picture of this side, 0 for paper and 1 for ink. It fills the picture, as the digits of scikit-learn do;
 *  larger pictures (MNIST's) have a margin. */
function pixels(canvas, side, { left, top, width, height }) {
  const small = element("canvas", { width: side, height: side }).getContext("2d");
  const margin = side < 20 ? 0 : side / 7;
  const scale = (side - 2 * margin) / Math.max(width, height);
  const place = (size) => (side - size * scale) / 2;
  small.imageSmoothingQuality = "high";
  small.drawImage(canvas, left, top, width, height, place(width), place(height), width * scale, height * scale);
  const { data } = small.getImageData(0, 0, side, side);
  return Array.from({ length: side * side }, (_, at) => data[4 * at + 3] / 255);
}

/** The box around the ink; `undefined` if there is none. */
function drawn(canvas) {
  const { width, height } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      if (data[4 * (y * width + x) + 3] < 128) continue;
      [left, right] = [Math.min(left, x), Math.max(right, x)];
      [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
    }
  }
  return right < 0 ? undefined : { left, top, width: right - left + 1, height: bottom - top + 1 };
}
