import { fileURLToPath } from 'node:url';
import { connectClient, type Client } from '@signalbox/mcp-core/client';
import { spawnStdio } from '@signalbox/mcp-core/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { openMeteo } from './testing/open-meteo.ts';
import { startUpstream } from './testing/upstream.ts';

const main = ['--conditions=@signalbox/source', fileURLToPath(new URL('main.ts', import.meta.url))];

/** Starts a server process and connects a client; `stderr` gets its log. */
async function connect(
  args: readonly string[],
  env: { readonly [name: string]: string } = {},
): Promise<{ client: Client; stderr: readonly string[] }> {
  const stderr: string[] = [];
  const open = () =>
    spawnStdio({
      command: 'node',
      args: [...main, ...args],
      // Compiled once for all processes of the tests.
      env: { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '', ...env },
      onStderr: (line) => stderr.push(line),
    });
  const client = await connectClient(open, { info: { name: 'test', version: '1' } });
  onTestFinished(() => client.close());
  return { client, stderr };
}

test('asks the services of the environment, with its name and version', async () => {
  const upstream = await startUpstream(onTestFinished, openMeteo());
  const url = new URL('base', upstream.url).href;
  const { client, stderr } = await connect(['--log-level', 'debug'], {
    WEATHER_OPEN_METEO_URL: url,
    WEATHER_GEOCODING_URL: `${url}/`,
  });
  await client.callTool('weather_current', { location: '1,2' });
  await client.callTool('weather_current', { location: 'Berlin' });
  expect(upstream.requests.map((request) => request.pathname)).toEqual([
    '/base/v1/forecast',
    '/base/v1/search',
    '/base/v1/forecast',
  ]);
  expect(upstream.userAgents[0]).toMatch(/^signalbox-weather\/\d+\.\d+\.\d+$/);
  await client.close();
  expect(
    stderr.filter((line) => line.includes('tool=weather_current outcome=finished ms=')),
  ).toHaveLength(2);
});

test('answers from made-up data with --demo', async () => {
  const { client } = await connect(['--demo', '--demo-delay-ms', '0', '--units', 'imperial']);
  await expect(client.callTool('weather_current', { location: 'Oslo' })).resolves.toMatchObject({
    structuredContent: { demo: true, source: 'demo', units: { temperature: '°F' } },
  });
});
