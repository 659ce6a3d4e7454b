/** Something that people could not read, or would not see. */
export interface Flaw {
  readonly what: 'wider than its page' | 'clipped in its chart' | 'too faint';
  readonly text: string;
}

/** WCAG 2.2, success criterion 1.4.3: text of usual size. */
const leastContrast = 4.5;

/** Looks at a page for what cannot be read. Runs in the browser: it may use nothing from outside of itself. */
export function look(least: number): Flaw[] {
  const flaws: Flaw[] = [];
  const width = document.documentElement.clientWidth;

  for (const element of document.querySelectorAll<HTMLElement>('.markdown-body *')) {
    // What is folded away is not shown, and what scrolls by itself can be read.
    if (!element.checkVisibility() || element.closest('pre, svg, .mermaid svg') !== null) continue;
    if (element.closest('table') !== null && element.tagName !== 'TABLE') continue;
    const { right } = element.getBoundingClientRect();
    if (right > width + 1) flaws.push({ what: 'wider than its page', text: nameOf(element) });
    else if (
      element.scrollWidth > element.clientWidth + 1 &&
      element.clientWidth > 0 &&
      element.tagName === 'TABLE'
    )
      flaws.push({ what: 'wider than its page', text: `the table of ${nameOf(element)}` });
  }

  for (const chart of document.querySelectorAll('.mermaid svg')) {
    const frame = chart.getBoundingClientRect();
    for (const label of chart.querySelectorAll('text')) {
      const box = label.getBoundingClientRect();
      if (box.width === 0) continue;
      const isOut =
        box.left < frame.left - 1 ||
        box.right > frame.right + 1 ||
        box.top < frame.top - 1 ||
        box.bottom > frame.bottom + 1;
      if (isOut) flaws.push({ what: 'clipped in its chart', text: nameOf(label) });
    }
  }

  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    if (element === null || node.textContent?.trim() === '' || /^(script|style)$/i.test(element.tagName))
      continue;
    if (!element.checkVisibility()) continue;
    const isDrawn = element.closest('svg') !== null;
    const style = getComputedStyle(element);
    const ink = isDrawn ? style.fill : style.color;
    const ground = isDrawn ? drawnUnder(element) : groundOf(element);
    const contrast = contrastOf(rgbOf(ink), rgbOf(ground));
    if (contrast < least)
      flaws.push({
        what: 'too faint',
        text: `${nameOf(element)} (${contrast.toFixed(2)}:1, ${ink} on ${ground})`,
      });
  }
  return flaws;

  function nameOf(element: Element): string {
    return `${element.tagName.toLowerCase()} “${(element.textContent ?? '').trim().slice(0, 40)}”`;
  }

  /** The first ground that is not seen through. */
  function groundOf(element: Element | null): string {
    for (let at = element; at !== null; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at);
      if ((rgbOf(backgroundColor)[3] ?? 1) > 0.5) return backgroundColor;
    }
    return 'rgb(255, 255, 255)';
  }

  /** The shape of the chart that lies under the middle of a label, else the page. */
  function drawnUnder(label: Element): string {
    const { left, top, width, height } = label.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    const chart = label.closest('svg');
    const shapes = [...(chart?.querySelectorAll<SVGGeometryElement>('rect, path, circle') ?? [])].reverse();
    const under = shapes.find((shape) => {
      const { fill, fillOpacity } = getComputedStyle(shape);
      if (fill === 'none' || Number(fillOpacity) < 0.5 || (rgbOf(fill)[3] ?? 1) < 0.5) return false;
      const matrix = shape.getScreenCTM();
      return matrix !== null && shape.isPointInFill(new DOMPoint(x, y).matrixTransform(matrix.inverse()));
    });
    return under === undefined ? groundOf(chart) : getComputedStyle(under).fill;
  }

  function rgbOf(colour: string): number[] {
    return (colour.match(/[\d.]+/g) ?? ['0', '0', '0', '0']).map(Number);
  }

  function contrastOf(one: number[], other: number[]): number {
    const [lighter = 0, darker = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => b - a);
    return (lighter + 0.05) / (darker + 0.05);
  }

  function luminanceOf([red = 0, green = 0, blue = 0]: number[]): number {
    const [r = 0, g = 0, b = 0] = [red, green, blue].map((channel) => {
      const share = channel / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }
}

export { leastContrast };
