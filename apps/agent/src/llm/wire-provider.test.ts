import { expect, test } from 'vitest';
import type { LlmEvent } from '../ports/llm-provider.ts';
import { systemClock } from '../system/system-clock.ts';
import { MAX_RAW_EVENTS } from './answer-bounds.ts';
import { modelCard } from './catalogue/model-cards.ts';
import { agentRequest, collect, userText } from './testing/collect.ts';
import { failure } from './testing/failure.ts';
import type { RawEvents } from './raw-events.ts';
import { WireProvider } from './wire-provider.ts';

const cardOf = (model: string) =>
  modelCard(
    { provider: 'openai', model: 'm', baseUrl: undefined, apiKey: undefined, scenario: undefined },
    model,
  );

/** Creates a provider whose answer never ends. */
function endlessProvider(
  translate: (raw: LlmEvent) => readonly LlmEvent[],
  bytesPerEvent: number,
): WireProvider<LlmEvent> {
  return new WireProvider<LlmEvent>(
    {
      info: { provider: 'openai', model: 'm', scripted: false },
      label: 'The server',
      models: [],
      card: cardOf,
      startCall: (_request, onBytes) =>
        Promise.resolve({
          card: cardOf('m'),
          promptTokens: 1,
          open: () =>
            Promise.resolve({
              events: endless({ type: 'text', delta: 'x' }, () => onBytes(bytesPerEvent)),
              translate,
              usage: () => ({
                input: 1,
                cacheRead: 0,
                cacheWrite: 0,
                output: 1,
                reasoning: 0,
                source: 'estimated',
              }),
            }),
          toError: () => {
            throw new Error('not an error of the connection');
          },
        }),
    },
    { clock: systemClock, random: () => 0, idleTimeoutMs: 10_000, deadlineMs: 60_000 },
  );
}

test('an endless answer is cut off at 64 MiB', async () => {
  const provider = endlessProvider((raw) => [raw], 1024 * 1024);
  const seen: string[] = [];
  const error = await failure(
    (async () => {
      for await (const { type } of provider.stream(agentRequest([userText('x')]), {
        signal: new AbortController().signal,
      }))
        seen.push(type);
    })(),
  );
  expect(error).toMatchObject({
    kind: 'too_large',
    message: expect.stringContaining('more than 67108864 bytes') as string,
  });
  expect(seen).toHaveLength(64);
});

test('an answer of too many empty events is discarded', async () => {
  const error = await failure(
    collect(
      endlessProvider(() => [], 1),
      agentRequest([userText('x')]),
    ),
  );
  expect(error).toMatchObject({
    kind: 'too_large',
    message: expect.stringContaining(`more than ${MAX_RAW_EVENTS} events`) as string,
  });
});

test("a call that its adapter cannot start fails with the adapter's error", async () => {
  const provider = new WireProvider<never>(
    {
      info: { provider: 'openai', model: 'm', scripted: false },
      models: [],
      card: cardOf,
      label: 'The server',
      startCall: () => Promise.reject(new Error('cannot start')),
    },
    { clock: systemClock, random: () => 0, idleTimeoutMs: 1000, deadlineMs: 10_000 },
  );
  await expect(collect(provider, agentRequest([userText('x')]))).rejects.toThrow('cannot start');
});

/** Returns events that never end. */
function endless(event: LlmEvent, onEach: () => void): RawEvents<LlmEvent> {
  let isThere = false;
  return {
    take() {
      const taken = isThere ? event : undefined;
      isThere = false;
      return taken;
    },
    async more() {
      onEach();
      isThere = true;
      return true;
    },
    close: () => undefined,
    finish: () => undefined,
  };
}
