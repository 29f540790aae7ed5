// The texts of a page whose contrast is below 4.5, as the guidelines WCAG 2 compute it: `[contrast, markup]` of each.
(() => {
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const luminance = (color) => {
    pen.fillStyle = color;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...pen.getImageData(0, 0, 1, 1).data]
      .map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const background = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const own = getComputedStyle(at).backgroundColor;
      if (own !== "rgba(0, 0, 0, 0)") return own;
    }
    return "white";
  };
  const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
  return [...document.querySelectorAll("body *")]
    .filter((element) => element.checkVisibility() && hasText(element))
    .map((element) => {
      const both = [getComputedStyle(element).color, background(element)].map(luminance).sort((a, b) => a - b);
      return [(both[1] + 0.05) / (both[0] + 0.05), element.outerHTML.slice(0, 90)];
    })
    .filter(([contrast]) => contrast < 4.5);
})();
