import { expect } from 'vitest';
import { ConfigError } from '../config.ts';
import { loadConfig, type ConfigFlags, type ConfigSources } from '../load-config.ts';

export function sources(
  file: unknown,
  rest: { readonly flags?: ConfigFlags; readonly env?: ConfigSources['env'] } = {},
): ConfigSources {
  return {
    flags: { config: '/etc/signalbox.json', ...rest.flags },
    env: rest.env ?? {},
    cwd: '/folder',
    homeDir: '/home/ann',
    readFile: () => Promise.resolve(typeof file === 'string' ? file : JSON.stringify(file)),
  };
}

export function missing(): Promise<string> {
  return Promise.reject(Object.assign(new Error('no such file'), { code: 'ENOENT' }));
}

export async function problemOf(input: ConfigSources): Promise<string> {
  const error = await loadConfig({ ...input, flags: { ...input.flags, isStrict: true } }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ConfigError);
  return (error as ConfigError).message;
}
