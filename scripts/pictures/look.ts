/** Something that people can't read or see. */
export interface Flaw {
  readonly what: string;
  readonly text: string;
}

/** The limits of readability. */
export interface Limits {
  /** The minimum contrast for text of normal size (WCAG 2.2, criterion 1.4.3). */
  readonly contrast: number;
  /**
   * The minimum contrast for chart labels drawn directly on the page. A chart has the same colors in both themes, and no gray has
   * a contrast above 4.35 with both white and the background of GitHub's dark theme.
   */
  readonly contrastOfLabels: number;
  /** The minimum size of text in a chart, in screen pixels. A chart shrinks with its page, which makes its text smaller. */
  readonly textSize: number;
  /**
   * A table may scroll on a phone only if it contains a path or rule with more characters than this. Browsers don't break paths,
   * and this many characters fit next to two numbers.
   */
  readonly longCode: number;
}

export const limits: Limits = { contrast: 4.5, contrastOfLabels: 4.3, textSize: 8, longCode: 16 };

/** Finds text that can't be read on a page. This function runs in the browser, so it can't use anything declared outside it. */
export function look({ contrast, contrastOfLabels, textSize, longCode }: Limits): Flaw[] {
  return [...document.querySelectorAll<HTMLElement>('.markdown-body *')]
    .filter((element) => element.checkVisibility() && element.closest('pre, svg') === null)
    .flatMap(tooWide)
    .concat(
      [...document.querySelectorAll('.mermaid svg')].flatMap(flawsOfChart),
      textsOf().flatMap(tooFaint),
    );

  function tooWide(element: HTMLElement): Flaw[] {
    const [page, { right }] = [document.documentElement.clientWidth, element.getBoundingClientRect()];
    if (element.tagName === 'TABLE') {
      const codes = [...element.querySelectorAll('code')].map(({ textContent }) => textContent ?? '');
      // A phone cuts off a table's right side. The first three columns are the important ones, so they must be visible.
      const third = element.querySelector('th:nth-child(3)') ?? element;
      const scrolls =
        element.scrollWidth > element.clientWidth + 1 && third.getBoundingClientRect().right > page;
      return scrolls && codes.every(({ length }) => length <= longCode)
        ? [flaw('scrolled, though nothing in it is long', element)]
        : [];
    }
    // Elements in a table scroll with the table, so they may be wider than the page.
    return element.closest('table') === null && right > page + 1
      ? [flaw('wider than its page', element)]
      : [];
  }

  function flawsOfChart(chart: Element): Flaw[] {
    const frame = chart.getBoundingClientRect();
    const labels = [...chart.querySelectorAll<SVGTextElement>('text')].filter(
      (label) => label.getBoundingClientRect().width > 0,
    );
    return labels.flatMap((label, index) => {
      const box = label.getBoundingClientRect();
      const isOut =
        Math.min(box.left - frame.left, frame.right - box.right) < -1 ||
        Math.min(box.top - frame.top, frame.bottom - box.bottom) < -1;
      const size = Number.parseFloat(getComputedStyle(label).fontSize) * (label.getScreenCTM()?.d ?? 1);
      const isOver = labels.slice(index + 1).some((other) => areOver(box, other.getBoundingClientRect()));
      return [
        ...(isOut ? [flaw('clipped in its chart', label)] : []),
        ...(isOver ? [flaw('laid over another label', label)] : []),
        ...(size < textSize ? [flaw(`too small (${size.toFixed(1)} px)`, label)] : []),
      ];
    });
  }

  function areOver(a: DOMRect, b: DOMRect): boolean {
    return a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  }

  /** The elements that contain text directly, not only in their children. */
  function textsOf(): Element[] {
    const own = ({ nodeType, textContent }: ChildNode) => nodeType === 3 && textContent?.trim() !== '';
    return [...document.querySelectorAll('body *')].filter(
      (element) => element.checkVisibility() && [...element.childNodes].some(own),
    );
  }

  function tooFaint(element: Element): Flaw[] {
    const chart = element.closest('svg');
    const style = getComputedStyle(element);
    const ink = chart === null ? style.color : style.fill;
    const shape = chart === null ? undefined : shapeUnder(element, chart);
    const ground = shape === undefined ? groundOf(element) : getComputedStyle(shape).fill;
    const least = chart !== null && shape === undefined ? contrastOfLabels : contrast;
    const found = contrastOf(rgbOf(ink), rgbOf(ground));
    return found < least ? [flaw(`too faint (${found.toFixed(2)} : 1, ${ink} on ${ground})`, element)] : [];
  }

  function flaw(what: string, { tagName, textContent }: Element): Flaw {
    const text = (textContent ?? '').replace(/\s+/g, ' ').trim().slice(0, 60);
    return { what, text: `${tagName.toLowerCase()} “${text}”` };
  }

  /** The color of the nearest background that isn't transparent. */
  function groundOf(element: Element | null): string {
    for (let at = element; at !== null; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at);
      if ((rgbOf(backgroundColor)[3] ?? 1) > 0.5) return backgroundColor;
    }
    return 'rgb(255, 255, 255)';
  }

  /** The topmost chart shape behind the middle of a label; `undefined` if the label is directly on the page. */
  function shapeUnder(label: Element, chart: Element): SVGGeometryElement | undefined {
    const { left, top, width, height } = label.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    return [...chart.querySelectorAll<SVGGeometryElement>('rect, path, circle')].reverse().find((shape) => {
      const { fill, fillOpacity } = getComputedStyle(shape);
      if (fill === 'none' || Number(fillOpacity) < 0.5 || (rgbOf(fill)[3] ?? 1) < 0.5) return false;
      const matrix = shape.getScreenCTM();
      return matrix !== null && shape.isPointInFill(new DOMPoint(x, y).matrixTransform(matrix.inverse()));
    });
  }

  function rgbOf(color: string): number[] {
    return (color.match(/[\d.]+/g) ?? ['0', '0', '0', '0']).map(Number);
  }

  /** WCAG 2.2, "contrast ratio". */
  function contrastOf(one: number[], other: number[]): number {
    const [lighter = 0, darker = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => b - a);
    return (lighter + 0.05) / (darker + 0.05);
  }

  /** WCAG 2.2, "relative luminance". */
  function luminanceOf([red = 0, green = 0, blue = 0]: number[]): number {
    const [r = 0, g = 0, b = 0] = [red, green, blue].map((channel) => {
      const share = channel / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }
}
