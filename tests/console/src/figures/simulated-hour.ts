import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const ID = 'hour';
const SECONDS = 3600;
/** Events and deltas in a second of a busy run. */
const PROGRESS_PER_SECOND = 4;
const DELTAS_PER_SECOND = 10;
const SECONDS_PER_CALL = 60;

/** The address of the run, and the numbers of its frames. */
export interface SimulatedHour {
  readonly url: string;
  readonly events: number;
  readonly deltas: number;
  close(): void;
}

/**
 * Serves the console of a service with one more run: a stream of an hour that is sent as fast as the page reads it. Each minute is a
 * turn that writes text, and a call that reports progress.
 */
export async function simulateHour(service: string): Promise<SimulatedHour> {
  const frames = [...hour()];
  const run = {
    id: ID,
    kind: 'agent',
    status: 'running',
    priority: 'normal',
    prompt: 'Work for an hour',
    scripted: false,
    limits: {},
    metadata: {},
    inbox: [],
    last_seq: 0,
    turns: 0,
    tool_calls: 0,
    created_at: '2026-01-01T00:00:00Z',
  };
  const server: Server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', service);
    if (pathname === `/v1/runs/${ID}`) response.end(JSON.stringify(run));
    else if (pathname === `/v1/runs/${ID}/events`)
      void sendStream(response, [{ type: 'run.snapshot', run_id: ID, run }, ...frames]);
    else void forward(service + (request.url ?? ''), request.headers.accept ?? '*/*', response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const deltas = frames.filter((frame) => frame.type === 'message.delta').length;
  return {
    url: `http://127.0.0.1:${port}`,
    events: frames.length - deltas,
    deltas,
    close: () => server.closeAllConnections(),
  };
}

interface Frame {
  readonly type: string;
  readonly seq?: number;
  readonly [field: string]: unknown;
}

function* hour(): Generator<Frame> {
  let seq = 0;
  const event = (type: string, data: object, second: number): Frame => {
    seq += 1;
    const at = new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();
    return { run_id: ID, seq, type, version: 1, at, data };
  };
  for (let second = 0; second < SECONDS; second += SECONDS_PER_CALL) {
    const turn = second / SECONDS_PER_CALL + 1;
    const message = { turn, message_id: `m${turn}` };
    const call = { call_id: `c${turn}`, attempt: 1 };
    const words = 'Looks at the next part of the work. ';
    const deltas = SECONDS_PER_CALL * DELTAS_PER_SECOND;
    yield event('turn.started', { ...message, model: 'model-a', attempt: 1 }, second);
    yield event('message.started', { ...message, role: 'assistant' }, second);
    for (let index = 0; index < deltas; index += 1)
      yield {
        type: 'message.delta',
        run_id: ID,
        message_id: message.message_id,
        kind: 'text',
        offset: index * words.length,
        text: words,
      };
    yield event(
      'message.completed',
      { ...message, text: words.repeat(deltas), tool_uses: [], is_partial: false },
      second,
    );
    yield event('turn.completed', { ...message, stop_reason: 'tool_use' }, second);
    yield event(
      'tool_call.planned',
      {
        ...call,
        turn,
        name: 's__work',
        server: 's',
        tool: 'work',
        arguments: { part: turn },
        state: 'planned',
      },
      second,
    );
    yield event('tool_call.dispatched', call, second);
    const total = SECONDS_PER_CALL * PROGRESS_PER_SECOND;
    for (let progress = 1; progress <= total; progress += 1)
      yield event(
        'tool_call.progress',
        { ...call, progress, total, message: `step ${progress}` },
        second,
      );
    const result = { text: 'done', truncated: false, is_error: false, other_content: [] };
    yield event('tool_call.completed', { ...call, result }, second);
  }
}

/** Sends frames as fast as the reader takes them, and leaves the stream open. */
async function sendStream(response: ServerResponse, frames: readonly Frame[]): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const frame of frames) {
    const id = frame.seq === undefined ? '' : `id: ${frame.seq}\n`;
    if (!response.write(`${id}data: ${JSON.stringify(frame)}\n\n`)) await once(response, 'drain');
  }
}

async function forward(url: string, accept: string, response: ServerResponse): Promise<void> {
  const { status, headers, body } = await fetch(url, { headers: { accept } });
  response.writeHead(status, { 'content-type': headers.get('content-type') ?? 'text/plain' });
  for await (const chunk of body ?? []) response.write(chunk);
  response.end();
}
