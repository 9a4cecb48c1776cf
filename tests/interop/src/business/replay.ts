import { expect } from 'vitest';
import type { Message } from '../rules/message.ts';
import type { RawClient } from '../rules/raw-client.ts';

/** One message of a conversation: sent by the client as it stands, or expected of the server as it stands. */
export type Line = { readonly client: unknown } | { readonly server: unknown };

/** A value that the server chooses the first time it is met, and that is the same wherever it is met again. */
class Chosen {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Stands for what the server chooses under this name: the id of a question, a request state. */
export function chosen(name: string): unknown {
  return new Chosen(name);
}

/** Plays the client's part, message by message, and requires the server's part: every message, in this order, and nothing else. */
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

/** The message with the values that were learned. */
function fill(message: unknown, values: ReadonlyMap<string, unknown>): unknown {
  return map(message, ({ name }) => values.get(name));
}

/** The expectation, in which every chosen value is that of the actual message, or the one learned before. */
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

/** Matchers of the test library have a class and are left alone. */
function isPlainObject(value: unknown): value is { readonly [key: string]: unknown } {
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}
