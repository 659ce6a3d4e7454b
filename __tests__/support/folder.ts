import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from '@jest/globals';

/** Creates an empty folder for each test. The returned function returns its path. */
export function folderPerTest(): () => string {
  let path = '';
  beforeEach(() => {
    path = realpathSync(mkdtempSync(join(tmpdir(), 'test-')));
  });
  afterEach(() => rmSync(path, { recursive: true }));
  return () => path;
}
