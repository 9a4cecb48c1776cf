import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { EndedCalls } from './ended-calls.ts';

const silence = (): void => undefined;
const silentLogger = { debug: silence, info: silence, warn: silence, error: silence };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('the line of an ended call is found, also when it comes later, and is logged as before', async () => {
  const debug = vi.fn<(message: string) => void>();
  const ended = new EndedCalls();
  const logger = ended.collect({ ...silentLogger, debug });
  logger.debug('12:00 debug tool=compare outcome=finished ms=1');
  const found = ended.find('tool=compare outcome=cancelled');
  logger.debug('12:01 debug tool=compare outcome=cancelled ms=9');
  await vi.advanceTimersByTimeAsync(100);
  expect(await found).toBe('tool=compare outcome=cancelled ms=9');
  expect(debug).toHaveBeenCalledTimes(2);
});

test('control: a server that does not report the end of its work is found out after five seconds', async () => {
  const ended = new EndedCalls();
  ended.collect(silentLogger).debug('debug tool=compare outcome=finished ms=1');
  const found = ended.find('tool=compare outcome=cancelled');
  await vi.advanceTimersByTimeAsync(5100);
  expect(await found).toBeUndefined();
});
