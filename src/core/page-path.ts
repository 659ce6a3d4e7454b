import { changeScrubbed, type Scrubbed } from '../text/scrub.ts';

/** Percent-encoded characters. An encoded slash separates no segments, so it isn't one of them. */
const encoded = /(?:%(?!2f)[\da-f]{2})+/gi;

/**
 * The path of a page in one form, whether it comes from an address, which is percent-encoded, or
 * from a list of pages.
 */
export function canonicalPath(path: Scrubbed): Scrubbed {
  return changeScrubbed(decodePath(path), (decoded) => {
    return decoded
      .replaceAll('%2f', '%2F')
      .replace(/^(?!\/|$)/, '/')
      .replace(/(?<=.)\/+$/, '');
  });
}

/** A path as people read it. */
export function decodePath(path: Scrubbed): Scrubbed {
  return changeScrubbed(path, (raw) => raw.replace(encoded, decode));
}

function decode(text: string) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
