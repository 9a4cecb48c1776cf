import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { connectClient } from '@signalbox/mcp-core/client';
import { spawnStdio } from '@signalbox/mcp-core/stdio';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openMeteo } from './testing/open-meteo.test.support.ts';
import { startUpstream } from './testing/upstream.test.support.ts';

const main = ['--conditions=@signalbox/source', fileURLToPath(new URL('main.ts', import.meta.url))];

/** Runs the command with an empty stdin until it ends. */
async function run(args: readonly string[], env: { readonly [name: string]: string } = {}) {
  const child = spawn(process.execPath, [...main, ...args], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { stdout, stderr, code: child.exitCode };
}

describe('signalbox-weather', () => {
  test('--help names the terms of the data and every option and variable', async () => {
    const { stdout, stderr, code } = await run(['--help']);
    for (const part of ['non-commercial', 'CC BY 4.0', '--demo', '--demo-delay-ms', '--units', '--timeout-ms', '--max-concurrency', '--log-level', 'WEATHER_OPEN_METEO_URL', 'WEATHER_GEOCODING_URL']) {
      expect(stdout).toContain(part);
    }
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  });

  test.each([
    [['--units', 'martian'], {}, '--units must be one of metric, imperial, kelvin, not "martian"'],
    [['--max-concurrency', '6'], {}, '--max-concurrency must be a whole number from 1 to 5, not "6"'],
    [['--timeout-ms', '1'], {}, '--timeout-ms must be a whole number from 100 to 60000, not "1"'],
    [['Berlin'], {}, 'Unexpected argument "Berlin"'],
    [[], { WEATHER_OPEN_METEO_URL: 'file:///etc/passwd' }, 'WEATHER_OPEN_METEO_URL must be an http or https URL, not "file:///etc/passwd"'],
    [[], { WEATHER_GEOCODING_URL: 'localhost' }, 'WEATHER_GEOCODING_URL must be an http or https URL, not "localhost"'],
  ])('refuses %j %j', async (args, env, problem) => {
    const { stdout, stderr, code } = await run(args, env);
    expect({ stdout, stderr, code }).toEqual({ stdout: '', stderr: `signalbox-weather: ${problem} (see signalbox-weather --help)\n`, code: 1 });
  });

  test('asks the services of the environment, with its name and version', async () => {
    const upstream = await startUpstream(onTestFinished, openMeteo());
    const url = new URL('base', upstream.url).href;
    const transport = spawnStdio({ command: 'node', args: [...main], env: { WEATHER_OPEN_METEO_URL: url, WEATHER_GEOCODING_URL: `${url}/` } });
    const client = await connectClient(() => transport, { info: { name: 'test', version: '1' } });
    onTestFinished(() => client.close());
    await client.callTool('weather_current', { location: '1,2' }).catch(() => undefined);
    await client.callTool('weather_current', { location: 'Berlin' }).catch(() => undefined);
    expect(upstream.requests.map((request) => request.pathname)).toEqual(['/base/v1/forecast', '/base/v1/search']);
    expect(upstream.userAgents[0]).toMatch(/^signalbox-weather\/\d+\.\d+\.\d+$/);
  });

  test('answers from made-up data with --demo', async () => {
    const transport = spawnStdio({ command: 'node', args: [...main, '--demo', '--demo-delay-ms', '0', '--units', 'imperial'] });
    const client = await connectClient(() => transport, { info: { name: 'test', version: '1' } });
    onTestFinished(() => client.close());
    await expect(client.callTool('weather_current', { location: 'Oslo' })).resolves.toMatchObject({
      structuredContent: { demo: true, source: 'demo', units: { temperature: '°F' } },
    });
  });
});
