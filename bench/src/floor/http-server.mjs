// The floor over HTTP: what an echo server costs when nothing but JSON and node:http is between it and its client.
import { randomUUID } from 'node:crypto';
import { listen, mode, tools } from '../servers/listen.mjs';
import { createAnswerer } from './answer.mjs';

const answer = createAnswerer(tools);
const sessions = new Map();

listen((request, response) => {
  if (request.method !== 'POST') {
    response.writeHead(request.method === 'DELETE' ? 200 : 405).end();
    return;
  }
  /** @type {Buffer[]} */
  const chunks = [];
  request.on('data', (/** @type {Buffer} */ chunk) => chunks.push(chunk));
  request.on('end', () => {
    const message = /** @type {import('./answer.mjs').Message} */ (
      JSON.parse(String(Buffer.concat(chunks)))
    );
    serve(message, request, response);
  });
});

/** @param {import('./answer.mjs').Message} message @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
function serve(message, request, response) {
  if (mode === 'sessions') {
    if (message.method === 'initialize') response.setHeader('mcp-session-id', openSession());
    else if (!sessions.has(request.headers['mcp-session-id'])) {
      response.writeHead(404).end();
      return;
    }
  }
  const reply = answer(message, (notification) => {
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`data: ${JSON.stringify(notification)}\n\n`);
  });
  if (reply === undefined) {
    response.writeHead(202).end();
  } else if (response.headersSent) {
    response.end(`data: ${JSON.stringify(reply)}\n\n`);
  } else {
    const body = JSON.stringify(reply);
    response
      .writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      })
      .end(body);
  }
}

function openSession() {
  const id = randomUUID();
  sessions.set(id, { version: '2025-11-25' });
  return id;
}
