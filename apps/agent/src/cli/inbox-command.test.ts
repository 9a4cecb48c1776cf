import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runCommand } from './command.ts';
import type { Io } from './io.ts';

const ITEM = {
  id: 'item-1',
  run_id: 'run-1',
  kind: 'tool_approval',
  state: 'open',
  request: { server: 'files', tool: 'write', name: 'files__write', arguments: { path: 'a\u001b[2J' }, remember: ['call', 'run'] },
  created_at: '2026-01-01T00:00:00.000Z',
  expires_at: '2026-01-02T00:00:00.000Z',
};

interface Heard {
  readonly line: string;
  readonly body: unknown;
  readonly authorization: string | undefined;
}

type Reply = readonly [status: number, body: unknown];

/** A service that answers each request with what the function says, and remembers it. */
async function fakeService(reply: (line: string, body: unknown) => Reply): Promise<{ readonly url: string; readonly heard: readonly Heard[] }> {
  const heard: Heard[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const line = `${request.method} ${request.url}`;
    const body = await bodyOf(request);
    heard.push({ line, body, authorization: request.headers.authorization });
    const [status, content] = reply(line, body);
    response.writeHead(status, { 'content-type': 'application/json' }).end(typeof content === 'string' ? content : JSON.stringify(content));
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const part of request.setEncoding('utf8')) text += String(part);
  return text === '' ? undefined : JSON.parse(text);
}

interface Session {
  readonly env?: { readonly [name: string]: string };
  /** What the person types, line by line; without, nobody is there. */
  readonly typed?: readonly string[];
}

async function signalbox(argv: readonly string[], { env = {}, typed }: Session = {}): Promise<{ readonly code: number; readonly out: string; readonly err: string; readonly asked: readonly string[] }> {
  const written = { out: '', err: '' };
  const asked: string[] = [];
  const io: Io = {
    out: (text) => void (written.out += text),
    err: (text) => void (written.err += text),
    isTerminal: typed !== undefined,
    canAsk: typed !== undefined,
    columns: 80,
    ask: (question) => Promise.resolve(typed?.[asked.push(question) - 1]),
    onInterrupt: () => () => undefined,
  };
  const code = await runCommand(io, { argv: ['inbox', ...argv], env, cwd: '/', repository: '/', version: '1' });
  return { code, ...written, asked };
}

describe('signalbox inbox', () => {
  test('lists what waits, page by page, with nothing in it that steers the terminal', async () => {
    const { url, heard } = await fakeService((line) => (line.includes('cursor') ? [200, { data: [{ ...ITEM, id: 'item-2' }] }] : [200, { data: [ITEM], next_cursor: 'c' }]));
    const { code, out } = await signalbox(['--run', 'run-1'], { env: { SIGNALBOX_URL: url } });
    expect(code).toBe(0);
    expect(out).toBe('item-1 tool_approval  may files__write be called with {"path":"a\\u001b[2J"}\nitem-2 tool_approval  may files__write be called with {"path":"a\\u001b[2J"}\n');
    expect(heard.map(({ line }) => line)).toEqual(['GET /v1/inbox?state=open&run_id=run-1', 'GET /v1/inbox?state=open&run_id=run-1&cursor=c']);
  });

  test('--all --json has the closed ones, too, as JSON lines', async () => {
    const { url, heard } = await fakeService(() => [200, { data: [ITEM, { ...ITEM, state: 'void' }] }]);
    const { out } = await signalbox(['--all', '--json', '--url', url]);
    expect(out.trim().split('\n').map((line) => JSON.parse(line) as unknown)).toEqual([ITEM, { ...ITEM, state: 'void' }]);
    expect(heard[0]?.line).toBe('GET /v1/inbox?');
  });

  test('says so when nothing waits', async () => {
    const { url } = await fakeService(() => [200, { data: [] }]);
    expect(await signalbox(['--url', url])).toMatchObject({ code: 0, out: '', err: 'nothing waits for a person\n' });
  });
});

test('signalbox inbox show prints everything that is asked, and what was answered', async () => {
  const { url, heard } = await fakeService(() => [200, { ...ITEM, state: 'delivered', response: { action: 'approve' } }]);
  const { code, out } = await signalbox(['show', 'item/1', '--url', url]);
  expect(code).toBe(0);
  expect(out).toContain('tool_approval item-1 (delivered)\n');
  expect(out).toContain('  arguments: {"path":"a\\u001b[2J"}\n');
  expect(out).toContain('  answer: {"action":"approve"}\n');
  expect(heard[0]?.line).toBe('GET /v1/inbox/item%2F1');
});

describe('signalbox inbox answer', () => {
  test('sends the answer with all its parts, and the token', async () => {
    const { url, heard } = await fakeService(() => [200, { ...ITEM, state: 'delivered' }]);
    const { code, out } = await signalbox(['answer', 'item-1', 'approve', '--arguments', '{"path":"b"}', '--remember', 'run', '--note', 'fine', '--url', `${url}/`], { env: { SIGNALBOX_TOKEN: 't' } });
    expect(code).toBe(0);
    expect(out).toBe('tool_approval item-1 is delivered\n');
    expect(heard).toEqual([{ line: 'POST /v1/inbox/item-1/respond', body: { action: 'approve', arguments: { path: 'b' }, remember: 'run', note: 'fine' }, authorization: 'Bearer t' }]);
  });

  test('says what the service refuses, exit code 1', async () => {
    const { url } = await fakeService(() => [409, { code: 'inbox_item_not_open', detail: 'The inbox item item-1 is not open any more: it is void.' }]);
    expect(await signalbox(['answer', 'item-1', 'deny', '--url', url])).toMatchObject({ code: 1, err: 'signalbox: The inbox item item-1 is not open any more: it is void.\n' });
  });

  test('without an action asks at the terminal, again when the answer does not fit', async () => {
    const { url, heard } = await fakeService((line, body) => {
      if (line.startsWith('GET')) return [200, ITEM];
      const { arguments: args } = body as { readonly arguments?: unknown };
      return typeof args === 'string' ? [400, { code: 'invalid_request', detail: '/body/arguments: expected an object' }] : [200, { ...ITEM, state: 'delivered' }];
    });
    const { code, asked, err } = await signalbox(['answer', 'item-1', '--url', url], { typed: ['e', '{"path":', 'edit', '{"path":"b"}'] });
    expect(code).toBe(0);
    expect(err).toBe('  the answer was not taken: /body/arguments: expected an object\n');
    expect(asked).toHaveLength(4);
    expect(heard.at(-1)?.body).toEqual({ action: 'approve', arguments: { path: 'b' } });
  });

  test('without an id asks about all that waits, one after the other', async () => {
    const form = { ...ITEM, id: 'item-2', kind: 'elicitation_form', request: { server: 'shop', message: 'Size?', requested_schema: { properties: { size: { type: 'string' } }, required: ['size'] } } };
    const { url, heard } = await fakeService((line) => (line.startsWith('GET') ? [200, { data: [ITEM, form] }] : [200, { ...ITEM, state: 'delivered' }]));
    const { code } = await signalbox(['answer', '--url', url], { typed: ['a', 'L'] });
    expect(code).toBe(0);
    expect(heard.slice(1).map(({ line, body }) => [line, body])).toEqual([
      ['POST /v1/inbox/item-1/respond', { action: 'approve', remember: 'run' }],
      ['POST /v1/inbox/item-2/respond', { action: 'accept', content: { size: 'L' } }],
    ]);
  });

  test('of a closed item asks nothing', async () => {
    const { url } = await fakeService(() => [200, { ...ITEM, state: 'expired' }]);
    expect(await signalbox(['answer', 'item-1', '--url', url], { typed: [] })).toMatchObject({ code: 1, asked: [], err: 'signalbox: the inbox item item-1 is not open any more: it is expired\n' });
  });
});

test.each<[readonly string[], RegExp]>([
  [['fly'], /unknown command "inbox fly"; there are inbox, inbox show ID and inbox answer ID ACTION/],
  [['show'], /show needs the id of an item/],
  [['show', 'a', 'b'], /show takes no "b"/],
  [['answer', 'a', 'approve', 'b'], /answer takes no "b"/],
  [['answer', 'a'], /here nobody can be asked, so say the answer: signalbox inbox answer a ACTION/],
  [['answer', 'a', '--note', 'x'], /--note needs an action/],
  [['answer', 'a', 'accept', '--content', '{"a":}'], /--content is not JSON: line 1, column 6/],
  [['answer', 'a', 'accept', '--content', '[]'], /--content must be a JSON object/],
  [['show', 'a', '--content', '{}'], /--content is not for signalbox inbox show/],
  [['--remember', 'run'], /--remember is not for signalbox inbox;/],
  [['--colour'], /Unknown option '--colour'; see signalbox inbox --help/],
  [['--url', 'localhost:8020'], /the URL of the service \(--url or SIGNALBOX_URL\) must be an http or https URL/],
])('%j is refused with one line that says what to do', async (argv, message) => {
  const { code, out, err } = await signalbox(argv);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toMatch(message);
  expect(err.trim().split('\n')).toHaveLength(1);
});

describe('a service that is not what it should be', () => {
  test('that is not there: what to do is said', async () => {
    const { code, err } = await signalbox(['--url', 'http://127.0.0.1:9']);
    expect(code).toBe(1);
    expect(err).toMatch(/^signalbox: no service answers at http:\/\/127\.0\.0\.1:9 \(\S.*\): start one with "signalbox serve", or say where it is with --url or SIGNALBOX_URL\n$/);
  });

  test.each<[string, Reply, RegExp]>([
    ['wants a token', [401, { code: 'unauthorized', detail: 'no' }], /wants its token: set SIGNALBOX_TOKEN, or use --token/],
    ['is another program', [200, '<html>'], /answers, but not as Signalbox does \(status 200\)/],
    ['is another program that speaks JSON', [404, { error: 'x' }], /answers, but not as Signalbox does \(status 404\)/],
    ['is of another version', [200, { data: [{ ...ITEM, kind: 'crystal_ball' }] }], /use the same version of signalbox for both/],
  ])('that %s', async (_case, reply, message) => {
    const { url } = await fakeService(() => reply);
    const { code, err } = await signalbox(['--url', url]);
    expect(code).toBe(1);
    expect(err).toMatch(message);
  });
});

test.each([[[]], [['show']], [['answer']]])('help of inbox %j', async (argv) => {
  const { code, out } = await signalbox([...argv, '--help']);
  expect(code).toBe(0);
  expect(out).toMatch(/^signalbox inbox/);
  expect(out).toContain('SIGNALBOX_URL');
});
