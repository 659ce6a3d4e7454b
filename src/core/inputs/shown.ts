/** Enough of a bad value to recognize it by. */
const shownCharacters = 80;

/** A bad value as it may be shown: without the key and without credentials of an address, wherever they are in it. */
export function shown(value: string, apiKey: string | undefined): string {
  const bare = apiKey === undefined ? value : value.replaceAll(apiKey, '***');
  const safe = bare.replace(/(^[a-z][a-z0-9+.-]*:[\\/]*|\/\/)[^\\/?#]*@/gi, '$1***@');
  return safe.length <= shownCharacters ? safe : `${safe.slice(0, shownCharacters)}…`;
}
