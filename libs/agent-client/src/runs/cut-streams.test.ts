import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { RunFrame } from '../index.ts';
import { scriptedService } from '../testing/scripted-service.ts';

const TEXTS = [
  'Reading the täbles 🙂 of the shop.',
  '',
  'Ada bought most, then Bob; Cy bought least.',
];

type Item =
  | { readonly seq: number; readonly type: string; readonly data: { readonly message_id: string } }
  | {
      readonly type: 'message.delta';
      readonly kind: 'text';
      readonly message_id: string;
      readonly offset: number;
      readonly text: string;
    };

/** Returns what happens in a run, in order: the events and deltas of some messages, and its end. */
function timelineOf(random: () => number): readonly Item[] {
  const items: Item[] = [];
  let seq = 0;
  const add = (type: string, data: { message_id: string; text?: string }) =>
    items.push({ seq: (seq += 1), type, data });
  for (const [index, text] of TEXTS.entries()) {
    const message_id = `m${index}`;
    add('turn.started', { message_id });
    add('message.started', { message_id });
    for (let offset = 0; offset < text.length;) {
      const part = text.slice(offset, offset + 1 + Math.floor(random() * 9));
      items.push({ type: 'message.delta', kind: 'text', message_id, offset, text: part });
      offset += part.length;
    }
    add('message.completed', { message_id, text });
  }
  add('run.completed', { message_id: '' });
  return items;
}

/** A run that goes on while its reader is connected, and meanwhile. Each connection is cut off after some bytes. */
class CutRun {
  readonly #items: readonly Item[];
  readonly #random: () => number;
  /** Number of items that have happened. */
  #now = 0;
  connections = 0;

  constructor(random: () => number) {
    this.#items = timelineOf(random);
    this.#random = random;
  }

  respond(request: Request): Response {
    this.connections += 1;
    const after = Number(request.headers.get('last-event-id') ?? 0);
    const past = this.#items.slice(0, this.#now);
    const missed = past.filter((item) => 'seq' in item && item.seq > after);
    const frames = [this.#snapshot(past), ...missed, ...this.#items.slice(this.#now)];
    const text = frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('');
    const bytes = new TextEncoder().encode(text);
    // Each connection gets at least a little further than the one before.
    const length = Math.floor(this.#random() * 900) + 40 * this.connections;
    const sent = bytes.slice(0, length);
    const live = new TextDecoder().decode(sent).split('\n\n').length - 2 - missed.length;
    const lost = Math.floor(this.#random() * 3);
    this.#now = Math.min(this.#items.length, this.#now + Math.max(0, live) + lost);
    return new Response(sent);
  }

  #snapshot(past: readonly Item[]): object {
    const last_seq = past.reduce((seq, item) => ('seq' in item ? item.seq : seq), 0);
    const last = past.at(-1);
    const message_id = last === undefined || 'seq' in last ? undefined : last.message_id;
    const text = past
      .map((item) => ('seq' in item || item.message_id !== message_id ? '' : item.text))
      .join('');
    return {
      type: 'run.snapshot',
      run_id: 'r',
      run: { id: 'r', last_seq },
      ...(message_id !== undefined && { partial: { message_id, text } }),
    };
  }
}

/** Returns numbers from 0 to 1 that depend on the seed only. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('every event comes once and every text whole and in its place, wherever connections are cut', async () => {
  let connections = 0;
  for (let seed = 1; seed <= 300; seed += 1) {
    const run = new CutRun(randomOf(seed));
    const answers = Array.from({ length: 200 }, () => (request: Request) => run.respond(request));
    const { client } = scriptedService(answers);
    const frames: RunFrame[] = [];
    const reading = (async () => {
      for await (const frame of client.runs.stream('r', { retryForMs: Infinity }))
        if (frame.type !== 'run.snapshot') frames.push(frame);
      return true;
    })();
    const second = () => vi.advanceTimersByTimeAsync(30_000).then(() => false);
    while (!(await Promise.race([reading, second()])));
    connections += run.connections;

    const events = frames.filter((frame) => 'seq' in frame);
    expect(
      events.map(({ seq }) => seq),
      `seed ${seed}`,
    ).toEqual(Array.from({ length: TEXTS.length * 3 + 1 }, (_, index) => index + 1));
    for (const [index, text] of TEXTS.entries()) {
      const between = frames.slice(
        frames.findIndex((frame) => 'seq' in frame && frame.seq === index * 3 + 2) + 1,
        frames.findIndex((frame) => 'seq' in frame && frame.seq === index * 3 + 3),
      );
      const deltas = between.filter((frame) => frame.type === 'message.delta');
      expect(deltas.map((delta) => delta.text).join(''), `seed ${seed}`).toBe(text);
      expect(
        deltas.map(({ offset }) => offset),
        `seed ${seed}`,
      ).toEqual(
        deltas.map((_, at) => deltas.slice(0, at).reduce((sum, each) => sum + each.text.length, 0)),
      );
    }
    expect(frames.length - events.length).toBe(
      frames.filter((frame) => frame.type === 'message.delta').length,
    );
  }
  expect(connections).toBeGreaterThan(900);
});
