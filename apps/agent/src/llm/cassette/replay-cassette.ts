import { readFileSync } from 'node:fs';
import { canonicalJson } from '@signalbox/mcp-core';
import { ConfigError } from '../../config/config.ts';
import { type Difference, firstDifference } from '../../json/first-difference.ts';
import { isPlainObject } from '../../json/plain-object.ts';
import { LlmError } from '../../ports/llm-provider.ts';
import type { Cassette, Exchange } from './exchange.ts';
import { comparableRequest } from './request-key.ts';

interface Recorded {
  readonly exchange: Exchange;
  readonly number: number;
  readonly comparable: unknown;
  readonly key: string;
  isUsed: boolean;
}

/**
 * Answers each request with its recorded response, once, in recorded order, and sends nothing. An
 * unknown request is refused with an `LlmError` that names the nearest recorded request and the
 * first difference.
 * @throws ConfigError
 */
export function replayCassette(file: string): Cassette {
  const recorded = load(file);
  return {
    fetch(input, init) {
      const path = new URL(input instanceof Request ? input.url : input).pathname;
      const comparable = comparableRequest(
        typeof init?.body === 'string' ? JSON.parse(init.body) : undefined,
      );
      const key = keyOf(path, comparable);
      const found = recorded.find((each) => !each.isUsed && each.key === key);
      if (found === undefined)
        return Promise.reject(miss(file, recorded, { path, comparable, key }));
      found.isUsed = true;
      return Promise.resolve(responseOf(found.exchange));
    },
    unused: () => recorded.filter(({ isUsed }) => !isUsed).length,
  };
}

function load(file: string): readonly Recorded[] {
  const [header, ...lines] = readLines(file);
  if (!isPlainObject(header) || header['cassette'] !== 1)
    throw new ConfigError(`${file}: is not a cassette of this version; record it again`);
  return lines.map((line, at) => {
    // Written by the recorder, as the header says.
    const exchange = line as Exchange;
    const comparable = comparableRequest(exchange.request);
    return {
      exchange,
      number: at + 1,
      comparable,
      key: keyOf(exchange.path, comparable),
      isUsed: false,
    };
  });
}

function readLines(file: string): readonly unknown[] {
  try {
    const lines = readFileSync(file, 'utf8').split('\n');
    return lines.filter((line) => line !== '').map((line): unknown => JSON.parse(line));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      `${file}: ${code === 'ENOENT' ? 'there is no such cassette' : code === undefined ? 'is not a cassette: a line of it is not JSON' : `the cassette cannot be read (${code})`}`,
      { cause: error },
    );
  }
}

function keyOf(path: string, comparable: unknown): string {
  return `${path} ${canonicalJson(comparable ?? null)}`;
}

function responseOf({ status, headers, chunks, end }: Exchange): Response {
  const encoder = new TextEncoder();
  const rest = [...chunks];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = rest.shift();
      if (next !== undefined) controller.enqueue(encoder.encode(next[1]));
      else if (end === 'error')
        controller.error(new TypeError('the recorded connection broke here'));
      else controller.close();
    },
  });
  return new Response(body, { status, headers });
}

interface Missed {
  readonly path: string;
  readonly comparable: unknown;
  readonly key: string;
}

function miss(file: string, recorded: readonly Recorded[], missed: Missed): LlmError {
  return new LlmError(
    'invalid',
    `The cassette ${file} has no answer to this request: ${reasonOf(recorded, missed)} Record it again if the change is intended.`,
  );
}

function reasonOf(recorded: readonly Recorded[], { path, comparable, key }: Missed): string {
  const used = recorded.find((each) => each.key === key);
  if (used !== undefined)
    return `request ${used.number} of ${recorded.length} is equal, but its response was used before.`;
  const [nearest] = recorded
    .filter((each) => !each.isUsed)
    .toSorted((left, right) => commonLength(right.key, key) - commonLength(left.key, key));
  if (nearest === undefined) return `all ${recorded.length} recorded responses were used before.`;
  if (nearest.exchange.path !== path)
    return `its path is ${path}, and the path of the nearest recorded request, ${nearest.number} of ${recorded.length}, is ${nearest.exchange.path}.`;
  const difference = firstDifference(nearest.comparable, comparable);
  return `the nearest is request ${nearest.number} of ${recorded.length}, and ${difference === undefined ? 'it is the same' : describeDifference(difference)}.`;
}

function describeDifference({ path, left, right }: Difference): string {
  return `${path === '' ? 'the body' : path} was ${left ?? 'not there'} and is ${right ?? 'not there'}`;
}

function commonLength(left: string, right: string): number {
  let length = 0;
  while (length < left.length && left[length] === right[length]) length += 1;
  return length;
}
