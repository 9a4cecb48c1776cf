import { spawnSync } from 'node:child_process';

const dropRightsOfRoot = [
  'setpriv',
  '--bounding-set=-dac_override,-dac_read_search',
  '--inh-caps=-dac_override,-dac_read_search',
];

/**
 * Returns the start of a command line for a Node process to which file permissions apply, which they do not to root. `undefined` where the
 * system offers no way to start such a process.
 */
export function unprivilegedNode(): readonly string[] | undefined {
  if (process.platform === 'win32') return undefined;
  if (process.getuid?.() !== 0) return [process.execPath];
  const [command = '', ...options] = dropRightsOfRoot;
  return spawnSync(command, [...options, 'true']).status === 0
    ? [...dropRightsOfRoot, process.execPath]
    : undefined;
}
