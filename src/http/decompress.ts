import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';

/**
 * More than a page of 250 rows with very long paths. A longer response is an error, so that it
 * can't use up all memory.
 */
export const maxResponseBytes = 32 * 1024 * 1024;

type Decompressor = (body: Buffer, limit: { maxOutputLength: number }) => Buffer;

/** By their names in `content-encoding` (RFC 9110 §8.4.1, RFC 8878 §7.2). */
const decompressors = new Map<string, Decompressor>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
  ['zstd', zstdDecompressSync],
]);

/**
 * Decompresses a body, because some servers and proxies compress it even though we ask them not to.
 * undici can do that, too, but prints a warning in every log. @throws if the body is cut off or too
 * long
 */
export function decompress(body: Buffer, contentEncoding = ''): Buffer {
  let plain = body;
  // The last encoding was applied last.
  for (const encoding of contentEncoding.toLowerCase().split(',').reverse()) {
    const decompressor = decompressors.get(encoding.trim());
    // A response such as 204 has no body.
    if (decompressor === undefined || plain.length === 0) continue;
    plain = decompressor(plain, { maxOutputLength: maxResponseBytes });
  }
  return plain;
}
