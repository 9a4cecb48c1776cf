// The floor on stdio: what an echo server costs when nothing but JSON and the pipe is between it and its client.
import { TOOLS } from '../catalog.mjs';
import { createAnswerer } from './answer.mjs';
import { onLines } from './on-lines.mjs';

const answer = createAnswerer(TOOLS);

onLines(process.stdin, (line) => {
  const message = /** @type {import('./answer.mjs').Message} */ (JSON.parse(line));
  const reply = answer(message, send);
  if (reply !== undefined) send(reply);
});

/** @param {object} message */
function send(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
