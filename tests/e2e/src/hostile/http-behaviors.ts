import { createGzip } from 'node:zlib';
import type { ServerResponse } from 'node:http';
import { form, longText, MB, objects, textResult } from './wire.ts';

/** Behavior of a hostile HTTP server. Absent members behave as in an ordinary server. */
export interface HttpBehavior {
  /** Answers `initialize`. */
  readonly initialize?: HttpAnswer;
  /** Answers `tools/call`. */
  readonly call?: HttpAnswer;
  /** Answers the GET of the listening stream. */
  readonly listen?: (response: ServerResponse) => void;
}

type HttpAnswer = (response: ServerResponse, id: unknown) => void;

const json =
  (text: (id: unknown) => string): HttpAnswer =>
  (response, id) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(text(id));
const resultText = (id: unknown, text: string): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}`;
const initialized = (more: string): string =>
  `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}${more}},"serverInfo":{"name":"hostile","version":"1"}}`;

function stream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
}

/** Writes the piece repeatedly, as fast as the reader takes it. */
function pour(response: ServerResponse, piece: string | Buffer): void {
  while (response.writable && response.write(piece));
  if (response.writable) response.once('drain', () => pour(response, piece));
}

const events =
  (times: number, params: () => string): HttpAnswer =>
  (response) => {
    stream(response);
    const text = params();
    let count = 0;
    const next = (): void => {
      while (count < times && response.writable) {
        count += 1;
        if (
          response.write(
            `data: {"jsonrpc":"2.0","id":"q${count}","method":"elicitation/create","params":${text}}\n\n`,
          )
        )
          continue;
        response.once('drain', next);
        return;
      }
    };
    next();
  };

export const httpBehaviors: { readonly [name: string]: HttpBehavior } = {
  'HTTP: capabilities of 60 MB': {
    initialize: json((id) =>
      resultText(id, initialized(`,"experimental":{"a":${objects(60 * MB)}}`)),
    ),
  },
  'HTTP: a body without end': {
    initialize: (response) =>
      pour(response.writeHead(200, { 'content-type': 'application/json' }), 'x'.repeat(MB)),
  },
  'HTTP: a compressed body of 100 MB': {
    initialize: (response) => {
      const gzip = createGzip();
      gzip.pipe(
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }),
      );
      gzip.end(Buffer.alloc(100 * MB, ' '));
    },
  },
  'HTTP: a redirect to another origin': {
    initialize: (response) =>
      void response.writeHead(307, { location: 'http://127.0.0.1:9/mcp' }).end(),
  },
  'HTTP: a byte every 100 ms': {
    initialize: (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 100);
      response.once('close', () => clearInterval(timer));
    },
  },
  'HTTP: a reset in the middle': {
    initialize: (response) =>
      void response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 })
        .write('{', () => response.destroy()),
  },
  'HTTP: a page instead of JSON': {
    initialize: (response) =>
      void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>'),
  },
  'HTTP: an error of 10 MB': {
    initialize: (response) =>
      void response.writeHead(500, { 'content-type': 'text/html' }).end('x'.repeat(10 * MB)),
  },
  'HTTP: status 401': {
    initialize: (response) => void response.writeHead(401, { 'www-authenticate': 'Bearer' }).end(),
  },
  'HTTP: a session id of 14 KB': {
    initialize: (response, id) =>
      void response
        .writeHead(200, {
          'content-type': 'application/json',
          'mcp-session-id': 'x'.repeat(14_000),
        })
        .end(resultText(id, initialized(''))),
  },
  'HTTP: silence': { initialize: () => undefined },
  'HTTP: an event of 60 MB': {
    call: (response, id) => {
      stream(response);
      response.end(
        `data: ${resultText(id, `{"content":[],"structuredContent":{"a":${objects(60 * MB)}}}`)}\n\n`,
      );
    },
  },
  'HTTP: an event of 20 MB': {
    call: (response, id) => {
      stream(response);
      response.end(
        `data: ${resultText(id, `{"content":[],"structuredContent":{"a":${objects(20 * MB)}}}`)}\n\n`,
      );
    },
  },
  'HTTP: an event of 3 MB of objects': {
    call: (response, id) => {
      stream(response);
      response.end(
        `data: ${resultText(id, `{"content":[],"structuredContent":{"a":${objects(3 * MB)}}}`)}\n\n`,
      );
    },
  },
  'HTTP: comments without end': {
    call: (response) => {
      stream(response);
      pour(response, ': comment\n'.repeat(10_000));
    },
  },
  'HTTP: one event without end': {
    call: (response) => {
      stream(response);
      pour(response, `data: ${'x'.repeat(MB)}\n`);
    },
  },
  'HTTP: notifications without end': {
    call: (response) => {
      stream(response);
      pour(
        response,
        'data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n\n'.repeat(
          1000,
        ),
      );
    },
  },
  'HTTP: a form of 20,000 fields': { call: events(1, () => form(20_000)) },
  'HTTP: 12 questions with 60 MB in their metadata': {
    call: events(12, () => form(1, '"m"', `,"_meta":{"a":${objects(60 * MB)}}`)),
  },
  'HTTP: 5,000 questions': { call: events(5000, () => form(1)) },
  'HTTP: a text of 60 MB': { call: json((id) => resultText(id, textResult(longText(60 * MB)))) },
  'HTTP: a stream that ends without an answer': {
    call: (response) => {
      stream(response);
      response.end(': nothing\n\n');
    },
  },
  'HTTP: the listening stream ends at once with a retry delay of 0 ms': {
    listen: (response) => {
      stream(response);
      response.end('retry: 0\ndata:\n\n');
    },
  },
  'HTTP: the listening stream sends pings without end': {
    listen: (response) => {
      stream(response);
      pour(response, 'data: {"jsonrpc":"2.0","id":1,"method":"ping"}\n\n'.repeat(1000));
    },
  },
};

export const ordinaryHttp = {
  initialize: json((id) => resultText(id, initialized(''))),
  list: json((id) => resultText(id, '{"tools":[{"name":"go","inputSchema":{"type":"object"}}]}')),
  call: json((id) => resultText(id, textResult('"ordinary"'))),
  empty: json((id) => resultText(id, '{}')),
  error: json(
    (id) =>
      `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":{"code":-32601,"message":"no such method"}}`,
  ),
};
