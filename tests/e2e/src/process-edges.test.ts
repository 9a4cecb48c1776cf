import { once } from 'node:events';
import { existsSync, openSync, closeSync } from 'node:fs';
import { Agent, get, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startServiceProcess, temporaryFolder, type ServiceProcess } from './support/service.ts';

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

test('SIGHUP stops the service in an orderly way', async () => {
  service = await startServiceProcess({ folder: folder.path, config: {} });
  const exited = once(service.process, 'exit');
  service.process.kill('SIGHUP');
  expect(await exited).toEqual([0, null]);
});

test("SIGUSR1 does not open Node's inspector", async () => {
  service = await startServiceProcess({ folder: folder.path, config: {} });
  service.process.kill('SIGUSR1');
  await request(service.url, 3);
  expect(service.log()).not.toMatch(/debugger listening/i);
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
  service = await startServiceProcess({ folder: folder.path, config: {}, stderr: 'unread' });
  // More than a pipe holds.
  await request(service.url, 1200);
  const exited = once(service.process, 'exit');
  const stoppedAt = Date.now();
  service.process.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
  expect(Date.now() - stoppedAt).toBeLessThan(8000);
});
