import { createLogger } from '@signalbox/server-kit';
import { describe, expect, test } from 'vitest';
import { command } from './command.ts';

/** Returns the error of `start` for these options and variables. */
async function problemOf(
  values: { readonly [option: string]: string },
  env: NodeJS.ProcessEnv = {},
  positionals: readonly string[] = [],
): Promise<string> {
  const start = command.start({ values, positionals, env, log: createLogger('error') });
  return start.then(
    () => 'none',
    (error: unknown) => String(error),
  );
}

describe('the command', () => {
  test('names the terms of the data and every option and variable in its help', () => {
    const options = Object.keys(command.options).map((option) => `--${option}`);
    for (const part of [
      'non-commercial',
      'CC BY 4.0',
      ...options,
      'WEATHER_OPEN_METEO_URL',
      'WEATHER_GEOCODING_URL',
    ]) {
      expect(command.usage).toContain(part);
    }
  });

  test.each([
    [{ units: 'martian' }, '--units must be one of metric, imperial, kelvin, not "martian"'],
    [{ 'max-concurrency': '6' }, '--max-concurrency must be a whole number from 1 to 5, not "6"'],
    [{ 'timeout-ms': '1' }, '--timeout-ms must be a whole number from 100 to 60000, not "1"'],
    [{ 'demo-delay-ms': '-1' }, '--demo-delay-ms must be a whole number from 0 to 60000, not "-1"'],
  ])('refuses %j', async (values, problem) => {
    expect(await problemOf(values)).toBe(`UsageError: ${problem}`);
  });

  test('refuses an argument', async () => {
    expect(await problemOf({}, {}, ['Berlin'])).toBe('UsageError: unexpected argument "Berlin"');
  });

  test.each([
    ['file:///etc/passwd', 'must be an http or https URL'],
    ['localhost', 'must be an http or https URL'],
    ['ftp://me:hunter2@host', 'must be an http or https URL'],
    ['https://me:hunter2@host', 'must have no user name, password, query or fragment'],
    ['https://host/?apikey=hunter2', 'must have no user name, password, query or fragment'],
  ])('refuses the base URL %s without repeating it', async (url, problem) => {
    for (const variable of ['WEATHER_OPEN_METEO_URL', 'WEATHER_GEOCODING_URL']) {
      expect(await problemOf({}, { [variable]: url })).toBe(`UsageError: ${variable} ${problem}`);
    }
  });

  test('takes an empty variable for none', async () => {
    expect(
      await problemOf(
        {},
        { WEATHER_OPEN_METEO_URL: '', WEATHER_GEOCODING_URL: 'http://127.0.0.1:9/base/' },
      ),
    ).toBe('none');
  });
});
