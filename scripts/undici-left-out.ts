/**
 * Modules that files of undici in the bundle ask for, but the action never uses. Our dispatcher only speaks HTTP/1.1, so it doesn't
 * need `node:http2`, the slowest of Node's modules to load. The experimental second HTTP/1 parser is off. All bodies are text, so
 * the code for forms and streams isn't needed. If one of these modules is used after all, the error contains the name on the right.
 */
export const leftOut = Object.fromEntries(
  [
    'node:http2',
    '../milo/simd.js',
    '../milo/no-simd.js',
    '../web/fetch/body.js',
    '../web/fetch/formdata',
    '../web/webidl',
  ].map((request) => [request, 'node:left-out-of-the-bundle']),
);
