/** Something that people can't read or see. */
export interface Flaw {
  readonly what: string;
  readonly text: string;
}

/** The limits of readability. */
export interface Limits {
  /** The minimum contrast for text (WCAG 2.2, criterion 1.4.3), and for what is drawn (1.4.11). */
  readonly contrast: number;
  readonly contrastOfShapes: number;
  /** The minimum size of text in a chart, in screen pixels. A chart shrinks with its page, which makes its text smaller. */
  readonly textSize: number;
}

export const limits: Limits = { contrast: 4.5, contrastOfShapes: 3, textSize: 8 };

/** Finds what can't be read on a page. This function runs in the browser, so it can't use anything declared outside it. */
export function look({ contrast, contrastOfShapes, textSize }: Limits): Flaw[] {
  return [...document.querySelectorAll<HTMLElement>('.markdown-body *')]
    .filter((element) => element.checkVisibility() && element.closest('svg') === null)
    .flatMap(tooWide)
    .concat(
      [...document.querySelectorAll('.mermaid svg')].flatMap(flawsOfChart),
      textsOf().flatMap(tooFaint),
    );

  /** A phone cuts off the right side of what is wider, even if it could be scrolled. */
  function tooWide(element: HTMLElement): Flaw[] {
    const isCut =
      element.scrollWidth > element.clientWidth + 1 && ['TABLE', 'PRE'].includes(element.tagName);
    const isOut = element.getBoundingClientRect().right > document.documentElement.clientWidth + 1;
    return isCut || isOut ? [flaw('wider than its page', element)] : [];
  }

  function flawsOfChart(chart: Element): Flaw[] {
    const frame = chart.getBoundingClientRect();
    const labels = [...chart.querySelectorAll<SVGTextElement>('text')].filter(
      (label) => label.getBoundingClientRect().width > 0,
    );
    return shapesOf(chart).concat(
      labels.flatMap((label, index) => {
        const box = label.getBoundingClientRect();
        const isOut =
          Math.min(box.left - frame.left, frame.right - box.right) < -1 ||
          Math.min(box.top - frame.top, frame.bottom - box.bottom) < -1;
        const size =
          Number.parseFloat(getComputedStyle(label).fontSize) * (label.getScreenCTM()?.d ?? 1);
        const isOver = labels
          .slice(index + 1)
          .some((other) => areOver(box, other.getBoundingClientRect()));
        return [
          ...(isOut ? [flaw('clipped in its chart', label)] : []),
          ...(isOver ? [flaw('laid over another label', label)] : []),
          ...(size < textSize ? [flaw(`too small (${size.toFixed(1)} px)`, label)] : []),
        ];
      }),
    );
  }

  /** Bars and lines that are hard to see on the page. */
  function shapesOf(chart: Element): Flaw[] {
    const ground = groundOf(chart);
    return [...chart.querySelectorAll('rect, path')].flatMap((shape) => {
      const { fill, stroke } = getComputedStyle(shape);
      const inks = [fill, stroke].filter((ink) => ink !== 'none' && (rgbOf(ink)[3] ?? 1) > 0);
      const found = Math.max(...inks.map((ink) => contrastOf(rgbOf(ink), rgbOf(ground))));
      return inks.length > 0 && found < contrastOfShapes
        ? [flaw(`too faint (${found.toFixed(2)} : 1, ${inks.join(', ')} on ${ground})`, shape)]
        : [];
    });
  }

  function areOver(a: DOMRect, b: DOMRect): boolean {
    return (
      a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1
    );
  }

  /** The elements that contain text directly, not only in their children. */
  function textsOf(): Element[] {
    const own = ({ nodeType, textContent }: ChildNode) =>
      nodeType === 3 && textContent?.trim() !== '';
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
    const found = contrastOf(rgbOf(ink), rgbOf(ground));
    return found < contrast
      ? [flaw(`too faint (${found.toFixed(2)} : 1, ${ink} on ${ground})`, element)]
      : [];
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
    return [...chart.querySelectorAll<SVGGeometryElement>('rect, path, circle')]
      .reverse()
      .find((shape) => {
        const { fill, fillOpacity } = getComputedStyle(shape);
        if (fill === 'none' || Number(fillOpacity) < 0.5 || (rgbOf(fill)[3] ?? 1) < 0.5)
          return false;
        const matrix = shape.getScreenCTM();
        return (
          matrix !== null &&
          shape.isPointInFill(new DOMPoint(x, y).matrixTransform(matrix.inverse()))
        );
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
