import { once } from 'node:events';
import { existsSync, openSync, closeSync } from 'node:fs';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  startService,
  startServiceProcess,
  temporaryFolder,
  type ServiceProcess,
} from './support/service.ts';
import { slowness } from './support/slowness.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: ServiceProcess | undefined;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  await service?.stop('SIGKILL');
  await folder.remove();
});

/** Sends requests over one connection, each of which is a line of the log. */
async function request(url: string, count: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let sent = 0; sent < count; sent += 1) {
    const [response] = (await once(get(`${url}/v1/tools`, { agent }), 'response')) as [
      IncomingMessage,
    ];
    expect(response.statusCode).toBe(200);
    await once(response.resume(), 'end');
  }
  agent.destroy();
}

test("SIGUSR1 does not open Node's inspector, and SIGHUP stops the service in an orderly way", async () => {
  service = await startServiceProcess({ folder: folder.path, config: {} });
  service.process.kill('SIGUSR1');
  await request(service.url, 3);
  expect(service.log()).not.toMatch(/debugger listening/i);
  const exited = once(service.process, 'exit');
  service.process.kill('SIGHUP');
  expect(await exited).toEqual([0, null]);
});

test.skipIf(!existsSync('/dev/full'))('a log on a full disk does not end the service', async () => {
  const full = openSync('/dev/full', 'w');
  service = await startServiceProcess({ folder: folder.path, config: {}, stderr: full });
  closeSync(full);
  await request(service.url, 10);
  const exited = once(service.process, 'exit');
  service.process.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
});

test('SIGTERM ends a service with an unread log', async () => {
  const written = join(folder.path, 'written');
  // Its lines on stderr, which the service logs, are more than a pipe holds.
  const source = `process.stderr.write(('x'.repeat(900) + '\\n').repeat(500));
    require('node:fs').writeFileSync(process.argv[1], '');
    process.stdin.resume();`;
  const mcpServers = { noisy: { command: 'node', args: ['-e', source, written] } };
  const config = { mcpServers };
  service = await startServiceProcess({ folder: folder.path, config, stderr: 'unread' });
  await expect.poll(() => existsSync(written)).toBe(true);
  await request(service.url, 10);
  const exited = once(service.process, 'exit');
  const stoppedAt = Date.now();
  service.process.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
  expect(Date.now() - stoppedAt).toBeLessThan(8000 * slowness());
});

test('max_pending_body_bytes of the configuration limits the bodies in transfer', async () => {
  const limited = await startService({
    folder: folder.path,
    config: { max_pending_body_bytes: 1_048_576 },
  });
  const send = (): Promise<Response> =>
    fetch(`${limited.url}/v1/threads`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
  expect((await send()).status).toBe(201);
  const socket = connect(Number(new URL(limited.url).port), '127.0.0.1');
  socket.write(
    'POST /v1/threads HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 1048576\r\n\r\n{',
  );
  await expect.poll(async () => (await send()).status).toBe(429);
  expect(await (await send()).json()).toMatchObject({ code: 'too_many_bodies' });
  socket.destroy();
  await limited.stop();
});
