/**
 * Returns what is cut off or overlaps on the page, as sentences. Runs in the page, so it can't use anything from outside.
 * Left out: what scrolls, what is only for screen readers, and what lies over the page on purpose (a hint, the tour).
 */
export function layoutFaults() {
  const faults = [];
  /** Returns whether only screen readers see the element. */
  const isUnseen = (element) => element !== null && (getComputedStyle(element).clipPath === "inset(50%)" || isUnseen(element.parentElement));
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !element.closest(".skip, .hint, .tour") && !isUnseen(element);
  const named = (element) => element.outerHTML.replace(/\s+/g, " ").slice(0, 160);
  const clips = (overflow) => overflow !== "visible";

  /** Returns the part of the rectangle that no ancestor of the element cuts off. */
  function visiblePart(rectangle, element) {
    let { left, top, right, bottom } = rectangle;
    for (let around = element; around && around !== document.body; around = around.parentElement) {
      const style = getComputedStyle(around);
      const box = around.getBoundingClientRect();
      if (clips(style.overflowX)) [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
      if (clips(style.overflowY)) [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
    }
    return { left, top, right, bottom };
  }

  const excess = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (excess > 0) faults.push(`the page is ${excess} pixels too wide`);
  if (!CSS.supports("field-sizing", "content")) faults.push("this browser can't tell how wide the text of a field is");
  for (const element of document.body.querySelectorAll("*")) {
    if (!isShown(element)) continue;
    const style = getComputedStyle(element);
    if (element.matches("select, input:not([type=checkbox], [type=radio], [type=range], [type=file])")) {
      // A copy that is as wide as its text.
      const copy = element.cloneNode(true);
      if (element.matches("select")) copy.value = element.value;
      else if (element.placeholder && !element.value) copy.value = "";
      else continue;
      copy.style.cssText = "field-sizing: content; position: absolute; visibility: hidden; width: auto; min-width: 0; max-width: none";
      element.after(copy);
      const missing = Math.ceil(copy.getBoundingClientRect().width - element.getBoundingClientRect().width);
      copy.remove();
      if (missing > 1) faults.push(`${missing} pixels of the text of a field are cut off: ${named(element)}`);
    } else if (["hidden", "clip"].includes(style.overflowX) && element.scrollWidth > element.clientWidth + 1) {
      faults.push(`${element.scrollWidth - element.clientWidth} pixels are cut off: ${named(element)}`);
    }
  }

  /** The rectangles of texts and of fields, each with its element. */
  const places = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !isShown(element) || element.matches("option, textarea")) continue;
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    for (const rectangle of range.getClientRects()) places.push({ element, isBox: false, ...visiblePart(rectangle, element) });
  }
  for (const element of document.body.querySelectorAll("input, select, button, textarea, meter, canvas")) {
    if (isShown(element)) places.push({ element, isBox: true, ...visiblePart(element.getBoundingClientRect(), element) });
  }
  places.sort((a, b) => a.top - b.top);
  places.forEach((a, at) => {
    for (let next = at + 1; next < places.length && places[next].top < a.bottom - 2; next++) {
      const b = places[next];
      const [width, height] = [Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - b.top];
      const isInside = [[a, b], [b, a]].some(([outer, inner]) => outer.isBox && outer.element.contains(inner.element));
      if (width > 2 && height > 2 && !isInside) faults.push(`these overlap: ${named(a.element)} and ${named(b.element)}`);
    }
  });
  return faults;
}
