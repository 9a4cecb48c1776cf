import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runCommand } from './command.ts';
import { testIo } from './testing/test-io.ts';

const ID = '01932d6e-0000-7000-8000-00000000aaaa';
const OTHER_ID = '01932d6e-0000-7000-8000-00000000bbbb';
const ITEM = {
  id: ID,
  run_id: 'run-1',
  kind: 'tool_approval',
  state: 'open',
  request: {
    server: 'files',
    tool: 'write',
    name: 'files__write',
    arguments: { path: 'a\u001b[2J' },
    remember: ['call', 'run'],
  },
  created_at: new Date(Date.now() - 5 * 60_000 - 1000).toISOString(),
  expires_at: '2126-01-02T00:00:00.000Z',
};

interface ReceivedRequest {
  readonly line: string;
  readonly body: unknown;
  readonly authorization: string | undefined;
}

type Reply = readonly [status: number, body: unknown];

/** A service that answers each request with what the function says, and remembers it. */
async function fakeService(
  reply: (line: string, body: unknown) => Reply,
): Promise<{ readonly url: string; readonly received: readonly ReceivedRequest[] }> {
  const received: ReceivedRequest[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const line = `${request.method} ${request.url}`;
    const body = await bodyOf(request);
    received.push({ line, body, authorization: request.headers.authorization });
    const [status, content] = reply(line, body);
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(typeof content === 'string' ? content : JSON.stringify(content));
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const part of request.setEncoding('utf8')) text += String(part);
  return text === '' ? undefined : JSON.parse(text);
}

interface Session {
  readonly env?: { readonly [name: string]: string };
  /** Lines typed at the terminal; without them there is no terminal. */
  readonly typed?: readonly string[];
}

async function signalbox(argv: readonly string[], { env = {}, typed }: Session = {}) {
  const io = testIo({ typed });
  const code = await runCommand(io, {
    argv: ['inbox', ...argv],
    env,
    cwd: '/',
    repository: '/',
    version: '1',
  });
  return { code, ...io.written, asked: io.asked };
}

/** A service with these items; `onRespond` says how an answer is taken. */
function fakeInbox(
  items: readonly (typeof ITEM & object)[],
  onRespond: (body: { readonly [name: string]: unknown }) => Reply = () => [
    200,
    { ...ITEM, state: 'delivered' },
  ],
) {
  return fakeService((line, body) => {
    const [method, path = ''] = line.split(' ');
    if (method === 'POST') return onRespond(body as { readonly [name: string]: unknown });
    if (path.startsWith('/v1/runs/')) return [200, { id: 'run-1', prompt: 'Write\n the letter' }];
    const item = items.find(({ id }) => path === `/v1/inbox/${id}`);
    if (item !== undefined) return [200, item];
    return path.startsWith('/v1/inbox/')
      ? [404, { code: 'inbox_item_not_found', detail: 'There is no such inbox item.' }]
      : [200, { data: items }];
  });
}

describe('signalbox inbox', () => {
  test('an empty id answers nothing, even if only one item is open', async () => {
    const { url, received } = await fakeInbox([ITEM]);
    const { code, err } = await signalbox(['answer', '', 'approve', '--url', url]);
    expect([code, err, received]).toEqual([
      2,
      'signalbox: the id is empty; give the id of one of the inbox items, or a part of it\n',
      [],
    ]);
  });

  test('lists open items with their age and the prompt of their run, page by page, without terminal control sequences', async () => {
    const { url, received } = await fakeService((line) => {
      if (line.includes('/v1/runs/'))
        return [200, { prompt: `Write\n\u001b[2J${'x'.repeat(100)}` }];
      return line.includes('cursor')
        ? [200, { data: [{ ...ITEM, id: OTHER_ID }] }]
        : [200, { data: [ITEM], next_cursor: 'c' }];
    });
    const { code, out } = await signalbox(['--run', 'run-1'], { env: { SIGNALBOX_URL: url } });
    expect(code).toBe(0);
    const rest = `5 min tool_approval may files__write be called with {"path":"a\\u001b[2J"} (run: Write [2J${'x'.repeat(51)}…)`;
    expect(out).toBe(`${ID} ${rest}\n${OTHER_ID} ${rest}\n`);
    expect(received.map(({ line }) => line)).toEqual([
      'GET /v1/inbox?state=open&run_id=run-1',
      'GET /v1/inbox?state=open&run_id=run-1&cursor=c',
      'GET /v1/runs/run-1',
    ]);
  });

  test('--all --json includes closed items, as JSON lines', async () => {
    const items = [ITEM, { ...ITEM, state: 'void' }];
    const { url, received } = await fakeInbox(items);
    const { out } = await signalbox(['--all', '--json', '--url', url]);
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(items);
    expect(received.map(({ line }) => line)).toEqual(['GET /v1/inbox']);
  });

  test('prints a notice when no item is open', async () => {
    const { url } = await fakeInbox([]);
    expect(await signalbox(['--url', url])).toMatchObject({
      code: 0,
      out: '',
      err: 'no inbox items\n',
    });
  });

  test.each([
    ['SIGNALBOX_PORT', (port: string) => ({ SIGNALBOX_PORT: port })],
    ['an address without a scheme', (port: string) => ({ SIGNALBOX_URL: `127.0.0.1:${port}` })],
    [
      'SIGNALBOX_URL, before SIGNALBOX_PORT',
      (port: string) => ({ SIGNALBOX_URL: `http://127.0.0.1:${port}`, SIGNALBOX_PORT: '9' }),
    ],
  ])('finds the service by %s', async (_case, env) => {
    const { url } = await fakeInbox([]);
    expect(await signalbox([], { env: env(new URL(url).port) })).toMatchObject({ code: 0 });
  });
});

test('signalbox inbox show prints the whole request and its response', async () => {
  const { url, received } = await fakeInbox([
    { ...ITEM, state: 'delivered', response: { action: 'approve' } } as typeof ITEM,
  ]);
  const { code, out } = await signalbox(['show', ID, '--url', url]);
  expect(code).toBe(0);
  expect(out).toContain(`tool_approval ${ID} (delivered)\n  run: run-1 (Write the letter)\n`);
  expect(out).toContain('  arguments: {"path":"a\\u001b[2J"}\n');
  expect(out).toContain('  answer: {"action":"approve"}\n');
  expect(received[0]?.line).toBe(`GET /v1/inbox/${ID}`);
});

describe('an id may be written in part', () => {
  const items = [ITEM, { ...ITEM, id: OTHER_ID }];

  test.each(['aaaa', '0000aaaa', '01932d6e-0000-7000-8000-00000000a'])(
    '%s, when only one item has it',
    async (part) => {
      const { url, received } = await fakeInbox(items);
      const { code, out } = await signalbox(['answer', part, 'deny', '--url', url]);
      expect({ code, out }).toEqual({ code: 0, out: `tool_approval ${ID}: denied\n` });
      expect(received.at(-1)).toMatchObject({
        line: `POST /v1/inbox/${ID}/respond`,
        body: { action: 'deny' },
      });
    },
  );

  test('an ambiguous id is rejected with the matching ids', async () => {
    const { url, received } = await fakeInbox(items);
    const { code, err } = await signalbox(['answer', '0193', 'deny', '--url', url]);
    expect(code).toBe(2);
    expect(err).toBe(
      `signalbox: 2 inbox items begin or end with "0193": ${ID}, ${OTHER_ID}; use a longer part of the id\n`,
    );
    expect(received.filter(({ line }) => line.startsWith('POST'))).toEqual([]);
  });

  test('an unknown id is sent to the service, which rejects it', async () => {
    const { url } = await fakeInbox(items);
    expect(await signalbox(['show', 'a/b', '--url', url])).toMatchObject({
      code: 1,
      err: 'signalbox: There is no such inbox item.\n',
    });
  });
});

describe('signalbox inbox answer', () => {
  test('sends the response with all its fields, and the token', async () => {
    const { url, received } = await fakeInbox([ITEM]);
    const { code, out } = await signalbox(
      [
        'answer',
        ID,
        'approve',
        '--arguments',
        '{"path":"b"}',
        '--remember',
        'run',
        '--note',
        'fine',
        '--url',
        `${url}/`,
      ],
      { env: { SIGNALBOX_TOKEN: 't' } },
    );
    expect(code).toBe(0);
    expect(out).toBe(`tool_approval ${ID}: approved\n`);
    expect(received).toEqual([
      {
        line: `POST /v1/inbox/${ID}/respond`,
        body: { action: 'approve', arguments: { path: 'b' }, remember: 'run', note: 'fine' },
        authorization: 'Bearer t',
      },
    ]);
  });

  test('prints the problem when the service rejects the response, exit code 1', async () => {
    const { url } = await fakeInbox([], () => [
      409,
      { code: 'inbox_item_not_open', detail: 'The inbox item is no longer open: it is void.' },
    ]);
    expect(await signalbox(['answer', ID, 'deny', '--url', url])).toMatchObject({
      code: 1,
      err: 'signalbox: The inbox item is no longer open: it is void.\n',
    });
  });

  test('without an action prompts at the terminal, and prompts again after an invalid answer', async () => {
    const { url, received } = await fakeInbox([ITEM], ({ arguments: args }) =>
      typeof args === 'string'
        ? [400, { code: 'invalid_request', detail: '/body/arguments: expected an object' }]
        : [200, { ...ITEM, state: 'delivered' }],
    );
    const { code, asked, err } = await signalbox(['answer', ID, '--url', url], {
      typed: ['e', '{"path":', 'edit', '{"path":"b"}'],
    });
    expect(code).toBe(0);
    expect(err).toBe('  the answer was rejected: /body/arguments: expected an object\n');
    expect(asked).toHaveLength(4);
    expect(received.at(-1)?.body).toEqual({ action: 'approve', arguments: { path: 'b' } });
  });

  test('without an id prompts for all open items, one after the other', async () => {
    const form = {
      ...ITEM,
      id: OTHER_ID,
      kind: 'elicitation_form',
      request: {
        server: 'shop',
        message: 'Size?',
        requested_schema: { properties: { size: { type: 'string' } }, required: ['size'] },
      },
    };
    const { url, received } = await fakeInbox([ITEM, form as unknown as typeof ITEM]);
    const { code } = await signalbox(['answer', '--url', url], { typed: ['a', 'L'] });
    expect(code).toBe(0);
    expect(
      received.filter(({ line }) => line.startsWith('POST')).map(({ line, body }) => [line, body]),
    ).toEqual([
      [`POST /v1/inbox/${ID}/respond`, { action: 'approve', remember: 'run' }],
      [`POST /v1/inbox/${OTHER_ID}/respond`, { action: 'accept', content: { size: 'L' } }],
    ]);
  });

  test('rejects a closed item without a prompt', async () => {
    const { url } = await fakeInbox([{ ...ITEM, state: 'expired' }]);
    expect(await signalbox(['answer', ID, '--url', url], { typed: [] })).toMatchObject({
      code: 1,
      asked: [],
      err: `signalbox: the inbox item ${ID} is no longer open: it is expired\n`,
    });
  });
});

test.each<[readonly string[], RegExp]>([
  [
    ['fly'],
    /unknown command "inbox fly"; the commands are inbox, inbox show ID and inbox answer ID ACTION/,
  ],
  [['show'], /show needs the id of an item/],
  [['show', 'a', 'b'], /show takes no "b"/],
  [['answer', 'a', 'approve', 'b'], /answer takes no "b"/],
  [
    ['answer', 'a'],
    /questions are asked only at a terminal and without --json; give the action instead: signalbox inbox answer a ACTION/,
  ],
  [['answer', 'a', '--note', 'x'], /--note needs an action/],
  [['answer', 'a', 'accept', '--content', '{"a":}'], /--content is not JSON: line 1, column 6/],
  [['answer', 'a', 'accept', '--content', '[]'], /--content must be a JSON object/],
  [['show', 'a', '--content', '{}'], /--content is not an option of signalbox inbox show/],
  [['--remember', 'run'], /--remember is not an option of signalbox inbox;/],
  [['--colour'], /Unknown option '--colour'; see signalbox inbox --help/],
  [
    ['--url', 'ftp://localhost'],
    /the URL of the service \(--url or SIGNALBOX_URL\) must be an http or https URL/,
  ],
])('%j is refused with one line that says what to do', async (argv, message) => {
  const { code, out, err } = await signalbox(argv);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toMatch(message);
  expect(err.trim().split('\n')).toHaveLength(1);
});

describe('a service that cannot be used', () => {
  test('unreachable: the message says what to do', async () => {
    const { code, err } = await signalbox(['--url', 'http://127.0.0.1:9']);
    expect(code).toBe(1);
    expect(err).toMatch(
      /^signalbox: no service answers at http:\/\/127\.0\.0\.1:9 \(\S.*\): start one with "signalbox serve", or set its address with --url or SIGNALBOX_URL\n$/,
    );
  });

  test.each<[string, Reply, RegExp]>([
    [
      'wants a token',
      [401, { code: 'unauthorized', detail: 'no' }],
      /requires a token: set SIGNALBOX_TOKEN, or use --token/,
    ],
    [
      'is another program',
      [200, '<html>'],
      /is not a Signalbox service \(its response is not JSON\)/,
    ],
    [
      'is another program that speaks JSON',
      [404, { error: 'x' }],
      /is not a Signalbox service \(status 404\)/,
    ],
    [
      'is of another version',
      [200, { data: [{ ...ITEM, kind: 'crystal_ball' }] }],
      /use the same version of signalbox for the command and the service/,
    ],
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
