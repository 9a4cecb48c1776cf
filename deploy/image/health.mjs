// The health check of the container: ends with 0 when the service responds.
import { get } from 'node:http';

const port = process.env.SIGNALBOX_PORT ?? 8020;
const request = get(`http://127.0.0.1:${port}/healthz`, { timeout: 4000 }, (response) => {
  response.resume();
  finish(response.statusCode === 200 ? undefined : `status ${response.statusCode}`);
});
request.once('timeout', () => finish('no response within 4 seconds'));
request.once('error', ({ message }) => finish(message));

/** Ends the process, with 1 and a message when there is a problem. */
function finish(problem) {
  if (problem !== undefined) process.stderr.write(`the service is not healthy: ${problem}\n`);
  process.exit(problem === undefined ? 0 : 1);
}
