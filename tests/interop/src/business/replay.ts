import { expect } from 'vitest';
import type { Message } from '../rules/message.ts';
import type { RawClient } from '../rules/raw-client.ts';

/** A message of a conversation: sent by the client, or expected from the server. */
export type Line = { readonly client: unknown } | { readonly server: unknown };

/** A value that the server chooses when it first occurs, and repeats afterwards. */
class Chosen {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * Returns a placeholder for a value that the server chooses: the id of an input request, a request
 * state.
 */
export function chosen(name: string): unknown {
  return new Chosen(name);
}

/**
 * Plays the client's part of a conversation and requires exactly the server's messages, in order.
 */
export async function replay(client: RawClient, conversation: readonly Line[]): Promise<void> {
  const values = new Map<string, unknown>();
  const first = client.received.length;
  let position = first;
  for (const line of conversation) {
    if ('client' in line) {
      client.send(fill(line.client, values));
    } else {
      const place = position;
      const actual = await client.find((message) => client.received[place] === message);
      expect(actual).toEqual(learn(line.server, actual, values));
      position += 1;
    }
  }
  const after = client.received.length;
  await client.settled();
  expect(client.received.slice(position, -1), 'nothing more was said').toEqual(
    client.received.slice(after, -1),
  );
}

/** Replaces the placeholders in a message by the recorded values. */
function fill(message: unknown, values: ReadonlyMap<string, unknown>): unknown {
  return map(message, ({ name }) => values.get(name));
}

/**
 * Replaces the placeholders in an expectation, and records the values that the actual message has
 * for new ones.
 */
function learn(expected: unknown, actual: unknown, values: Map<string, unknown>): unknown {
  if (expected instanceof Chosen) {
    if (!values.has(expected.name)) values.set(expected.name, actual);
    return values.get(expected.name);
  }
  if (Array.isArray(expected))
    return expected.map((entry, index) =>
      learn(entry, (actual as readonly unknown[] | undefined)?.[index], values),
    );
  if (!isPlainObject(expected)) return expected;
  return Object.fromEntries(
    Object.entries(expected).map(([key, value]) => [
      key,
      learn(value, (actual as Message | undefined)?.[key as keyof Message], values),
    ]),
  );
}

function map(value: unknown, replace: (place: Chosen) => unknown): unknown {
  if (value instanceof Chosen) return replace(value);
  if (Array.isArray(value)) return value.map((entry) => map(entry, replace));
  return isPlainObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, map(entry, replace)]))
    : value;
}

/** Matchers of the test library have a class and are left unchanged. */
function isPlainObject(value: unknown): value is { readonly [key: string]: unknown } {
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}
