// Elements of the page. Texts of the server are always set as text, never as markup.

/** An element with attributes and children; a text is a child. Attributes that begin with "on" are listeners. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== undefined && child !== null));
  return made;
}

/** A button with a text. */
export function button(text, attributes) {
  return element("button", { type: "button", ...attributes }, text);
}

/** A line through numbers, scaled to the largest; `label` says what it shows. */
export function spark(values, label) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("class", "spark");
  svg.setAttribute("viewBox", "0 0 60 20");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  const most = Math.max(...values, 1e-9);
  const points = values.map((value, at) => `${60 - values.length + at + 1} ${19 - (18 * value) / most}`);
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", points.length > 1 ? `M${points.join("L")}` : "");
  svg.append(path);
  return svg;
}

/** A bar that is filled by a part, 0 to 1. */
export function meter(part) {
  const fill = element("i");
  fill.style.width = `${100 * part}%`;
  return element("span", { class: "meter" }, fill);
}

/** Bars one below the other, the largest over the full width: `[name, value, text]` of each. */
export function bars(lines, attributes = {}) {
  const most = Math.max(...lines.map(([, value]) => value), 1e-9);
  const cells = lines.flatMap(([name, value, text], at) => {
    const bar = element("i");
    bar.style.width = `${(100 * Math.max(value, 0)) / most}%`;
    const first = at === 0 && attributes.ranked ? "first" : undefined;
    return [element("span", { class: first }, name), bar, element("span", { class: "faint" }, text)];
  });
  return element("div", { class: "bars" }, ...cells);
}

/** A time in nanoseconds for people: `12.3 µs`. */
export function time(ns) {
  if (ns === undefined) return "–";
  const [value, unit] =
    ns < 1e3 ? [ns, "ns"] : ns < 1e6 ? [ns / 1e3, "µs"] : ns < 1e9 ? [ns / 1e6, "ms"] : [ns / 1e9, "s"];
  return `${rounded(value)} ${unit}`;
}

/** A number with three digits. */
export function rounded(value) {
  if (value === undefined) return "–";
  return value >= 100 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3)));
}

/** A part, 0 to 1, for people: `12 %`. */
export function percent(part) {
  if (part === undefined) return "–";
  return part > 0 && part < 0.005 ? "<1 %" : `${Math.round(100 * part)} %`;
}

/** A number of bytes for people: `1.5 MiB`. */
export function size(bytes) {
  if (bytes === undefined) return "–";
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const step = bytes > 0 ? Math.min(Math.floor(Math.log2(bytes) / 10), 4) : 0;
  return `${rounded(bytes / 1024 ** step)} ${units[step]}`;
}
