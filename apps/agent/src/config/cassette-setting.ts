import { resolve } from 'node:path';
import { ConfigError, type CassetteConfig } from './config.ts';

/**
 * Parses `record:FILE`, `replay:FILE` or `off`, relative to `folder`.
 * @throws ConfigError naming `source`
 */
export function cassetteSetting(
  value: string | undefined,
  { folder, source }: { readonly folder: string; readonly source: string },
): CassetteConfig | undefined {
  if (value === undefined || value === 'off') return undefined;
  const [, mode, file] = /^(record|replay):(.+)$/.exec(value) ?? [];
  if ((mode !== 'record' && mode !== 'replay') || file === undefined)
    throw new ConfigError(`${source}: must be "off", "record:FILE" or "replay:FILE"`);
  return { mode, file: resolve(folder, file) };
}
