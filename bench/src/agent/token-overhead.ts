// CPU time that a streamed token costs beyond what the vendor's SDK takes to read it: node bench/src/agent/token-overhead.ts
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

type Wire = 'responses' | 'chat' | 'messages';

interface Provider {
  stream(
    request: object,
    options: { readonly signal: AbortSignal },
  ): AsyncIterable<{ readonly type: string }>;
}

const TOKENS = 20_000;
const ROUNDS = 5;
const LIMIT_US = 20;
const TEXT = ' token';
/** Pause between tokens, so that each arrives alone, as from a model. */
const PACE_EVERY = 50;

if (process.send === undefined) await measure();
else await serve();

async function measure(): Promise<void> {
  const child = fork(fileURLToPath(import.meta.url));
  const [origin] = (await once(child, 'message')) as [string];
  const { createLlmProvider } = (await import(agentFile('llm/provider.js'))) as {
    readonly createLlmProvider: (config: object) => Provider;
  };
  for (const wire of ['responses', 'chat', 'messages'] as const) {
    const config = {
      provider: wire === 'messages' ? 'anthropic' : 'openai',
      wire,
      model: 'm',
      baseUrl: wire === 'messages' ? origin : `${origin}/v1`,
      apiKey: 'k',
      scenario: undefined,
    };
    const provider = createLlmProvider(config);
    const ours = (): Promise<number> =>
      count(
        provider.stream(
          {
            model: 'm',
            messages: [{ role: 'user', content: [{ type: 'text', text: 'go' }] }],
            tools: [],
            maxTokens: 100,
            purpose: 'agent',
          },
          { signal: new AbortController().signal },
        ),
      );
    const readings = { sdk: await best(() => raw(wire, origin)), ours: await best(ours) };
    const overhead = readings.ours - readings.sdk;
    process.stdout.write(
      `${wire}: ${readings.ours.toFixed(1)} µs a token, the SDK alone ${readings.sdk.toFixed(1)} µs, overhead ${overhead.toFixed(1)} µs (limit ${String(LIMIT_US)})\n`,
    );
    if (overhead > LIMIT_US) process.exitCode = 1;
  }
  child.kill();
}

/** Lowest CPU time of a token in several rounds, in microseconds; the first round only warms up. */
async function best(read: () => Promise<number>): Promise<number> {
  const costs: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const before = process.cpuUsage();
    if ((await read()) < TOKENS) throw new Error('tokens were lost');
    const { user, system } = process.cpuUsage(before);
    if (round > 0) costs.push((user + system) / TOKENS);
  }
  return Math.min(...costs);
}

async function raw(wire: Wire, origin: string): Promise<number> {
  if (wire === 'messages') {
    const { Anthropic } = (await import(agentPackage('@anthropic-ai/sdk'))) as {
      Anthropic: new (options: object) => {
        messages: { create(body: object): Promise<AsyncIterable<{ type: string }>> };
      };
    };
    return count(
      await new Anthropic({ apiKey: 'k', baseURL: origin }).messages.create({
        model: 'm',
        max_tokens: 100,
        stream: true,
        messages: [{ role: 'user', content: 'go' }],
      }),
    );
  }
  type Create = { create(body: object): Promise<AsyncIterable<{ type: string }>> };
  const { OpenAI } = (await import(agentPackage('openai'))) as {
    OpenAI: new (options: object) => { responses: Create; chat: { completions: Create } };
  };
  const client = new OpenAI({ apiKey: 'k', baseURL: `${origin}/v1` });
  return count(
    await (wire === 'chat'
      ? client.chat.completions.create({ model: 'm', stream: true, messages: [] })
      : client.responses.create({ model: 'm', stream: true, input: 'go' })),
  );
}

async function count(events: AsyncIterable<unknown>): Promise<number> {
  let seen = 0;
  for await (const _ of events) seen += 1;
  return seen;
}

function agentFile(path: string): string {
  return new URL(`dist/${path}`, import.meta.resolve('@signalbox/agent/package.json')).href;
}

function agentPackage(name: string): string {
  return import.meta.resolve(name, import.meta.resolve('@signalbox/agent/package.json'));
}

/** The model's side, in a separate process so that its CPU time is not counted. */
async function serve(): Promise<void> {
  const server = createServer((request, response) => {
    const wire: Wire =
      request.url?.endsWith('/responses') === true
        ? 'responses'
        : request.url?.endsWith('/chat/completions') === true
          ? 'chat'
          : 'messages';
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    void (async () => {
      const { before, token, after } = eventsOf(wire);
      response.write(before);
      for (let sent = 0; sent < TOKENS; sent += 1) {
        response.write(token);
        if (sent % PACE_EVERY === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      response.end(after);
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send?.(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
}

function eventsOf(wire: Wire): {
  readonly before: string;
  readonly token: string;
  readonly after: string;
} {
  const sse = (data: object): string =>
    `${'type' in data ? `event: ${String(data.type)}\n` : ''}data: ${JSON.stringify(data)}\n\n`;
  switch (wire) {
    case 'responses':
      return {
        before: sse({ type: 'response.created', response: { model: 'm' } }),
        token: sse({
          type: 'response.output_text.delta',
          output_index: 0,
          content_index: 0,
          item_id: 'msg_1',
          sequence_number: 7,
          delta: TEXT,
        }),
        after: sse({ type: 'response.completed', response: { status: 'completed', output: [] } }),
      };
    case 'chat':
      return {
        before: '',
        token: sse({
          id: 'c',
          object: 'chat.completion.chunk',
          created: 1,
          model: 'm',
          choices: [{ index: 0, delta: { content: TEXT }, finish_reason: null }],
        }),
        after: `${sse({ id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}data: [DONE]\n\n`,
      };
    case 'messages':
      return {
        before:
          sse({ type: 'message_start', message: { model: 'm', usage: { input_tokens: 1 } } }) +
          sse({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
        token: sse({
          type: 'content_block_delta',
          index: 0,
          delta: { type: 'text_delta', text: TEXT },
        }),
        after:
          sse({
            type: 'message_delta',
            delta: { stop_reason: 'end_turn' },
            usage: { output_tokens: 1 },
          }) + sse({ type: 'message_stop' }),
      };
  }
}
