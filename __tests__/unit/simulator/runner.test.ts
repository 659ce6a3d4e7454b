import { expect, test } from '@jest/globals';

import { RunnerLog } from '../../../simulator/runner/log.ts';

/* Where a hostile text could do harm; `acceptance/` proves the rest of the runner with every run. */

test('obeys commands as runners do, in lines that others wrote as well', () => {
  const log = new RunnerLog();
  log.line('  ::SET-OUTPUT name=a%3Ab,x=y::1%0A2%25');
  log.line('quoted: ##[set-output name=c;]mid-line');
  log.line('::stop-commands::pause');
  log.line('::set-output name=d::never');
  log.line('::pause::');
  log.line('::add-mask::first line%0Asecond');
  log.line('::unknown::shown');
  log.line('::group::Details');
  log.line('::debug::hidden');
  log.line('::set-env name=PATH::/evil');
  log.line('::error title=Bad::the second time');
  log.line('a first line');
  expect(log.outputs).toEqual({ 'a:b': '1\n2%', c: 'mid-line' });
  expect(log.text).toBe(
    [
      '::set-output name=d::never',
      '::unknown::shown',
      '▼ Details',
      "Error: The 'set-env' command is disabled.",
      'Error: the *** time',
      'a ***',
      '',
    ].join('\n'),
  );
  expect(log.annotations.at(-1)).toEqual({ level: 'error', title: 'Bad', message: 'the *** time' });
});
