/** By UTF-16 code units: the same on every machine, whatever its locale. What has no path, the site, comes first. */
export function byPath(
  a: { readonly path?: string | undefined },
  b: { readonly path?: string | undefined },
): number {
  const [one = '', other = ''] = [a.path, b.path];
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
