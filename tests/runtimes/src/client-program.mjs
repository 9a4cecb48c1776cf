// The client of @signalbox/client in Node, Deno or Bun, with a running service whose address is the argument. The first stream is cut off. Prints one line of JSON.
import { createClient, ProblemError } from '@signalbox/client';

const [baseUrl] = globalThis.Deno?.args ?? process.argv.slice(2);

/** Bytes of the first stream that arrive. */
const CUT_AFTER = 2000;
let cuts = 0;

/** Sends a request; the body of the first event stream fails after some bytes. */
async function fetchCut(request) {
  const response = await fetch(request);
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  if (!isStream || cuts > 0) return response;
  cuts += 1;
  let bytes = 0;
  const cut = new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes < CUT_AFTER) controller.enqueue(chunk);
      else controller.error(new TypeError('the connection was cut'));
    },
  });
  return new Response(response.body.pipeThrough(cut), response);
}

const client = createClient({ baseUrl, fetch: fetchCut });
const frames = [];
let retries = 0;
const prompt = 'Which customers bought most?';
for await (const frame of client.runs.follow({ prompt }, { onRetry: () => (retries += 1) }))
  frames.push(frame);
const events = frames.filter(({ seq }) => seq !== undefined);
const [{ run_id: id }] = frames;
const { status, answer } = await client.runs.wait(id);
const written = frames
  .filter(({ type, kind }) => type === 'message.delta' && kind === 'text')
  .map(({ text }) => text)
  .join('');

const problem = await client.runs.get('none').catch((error) => error);
const stop = new AbortController();
const stream = createClient({ baseUrl }).runs.follow({ prompt }, { signal: stop.signal });
await stream.next();
stop.abort(new Error('enough'));
const aborted = await (async () => {
  for await (const _ of stream);
})().catch((error) => error.message);

console.log(
  JSON.stringify({
    cuts,
    retries,
    status,
    isInOrder: events.every(({ seq }, index) => seq === index + 1),
    last: events.at(-1).type,
    hasWholeText: written.endsWith(answer),
    problem: problem instanceof ProblemError ? problem.code : String(problem),
    aborted,
  }),
);
