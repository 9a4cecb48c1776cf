import { expect, test } from 'vitest';
import type { Logger } from '../../ports/logger.ts';
import { FailureLog, SubjectFailures } from './failure-log.ts';

type Entry = readonly [level: 'error' | 'info', message: string, fields: unknown];

function recording(): { readonly logger: Logger; readonly entries: Entry[] } {
  const entries: Entry[] = [];
  const logger: Logger = {
    debug: () => undefined,
    info: (message, fields) => void entries.push(['info', message, fields]),
    warn: () => undefined,
    error: (message, fields) => void entries.push(['error', message, fields]),
  };
  return { logger, entries };
}

test('an error that repeats is logged when it begins, and once when it ends with its number', () => {
  const { logger, entries } = recording();
  const log = new FailureLog(logger, 'a sweep failed');
  log.succeeded();
  const error = new Error('no right');
  for (let sweep = 0; sweep < 5; sweep += 1)
    log.failed(sweep === 0 ? error : new Error('no right'));
  expect(entries).toEqual([['error', 'a sweep failed', { error }]]);
  log.succeeded();
  log.succeeded();
  expect(entries.slice(1)).toEqual([
    ['info', 'a repeated error has ended', { failure: 'a sweep failed', times: 5 }],
  ]);
  log.failed(error);
  expect(entries.slice(2)).toEqual([['error', 'a sweep failed', { error }]]);
});

test('each different error is logged once, also when errors alternate', () => {
  const { logger, entries } = recording();
  const log = new FailureLog(logger, 'a sweep failed', { server: 's' });
  const [first, second] = [new Error('no right'), new Error('no disk')];
  for (const error of [first, second, first, second]) log.failed(error);
  expect(entries).toEqual([
    ['error', 'a sweep failed', { server: 's', error: first }],
    ['error', 'a sweep failed', { server: 's', error: second }],
  ]);
  log.succeeded();
  expect(entries.at(-1)?.[2]).toEqual({ server: 's', failure: 'a sweep failed', times: 4 });
});

test('the failures of a subject end with the first round in which it does not fail', () => {
  const { logger, entries } = recording();
  const failures = new SubjectFailures(logger, 'a run failed', 'run_id');
  const error = new Error('no right');
  failures.failed('a', error);
  failures.failed('b', error);
  failures.endRound();
  failures.failed('b', error);
  failures.endRound();
  failures.endRound();
  expect(entries).toEqual([
    ['error', 'a run failed', { run_id: 'a', error }],
    ['error', 'a run failed', { run_id: 'b', error }],
    ['info', 'a repeated error has ended', { run_id: 'a', failure: 'a run failed', times: 1 }],
    ['info', 'a repeated error has ended', { run_id: 'b', failure: 'a run failed', times: 2 }],
  ]);
});
