import { spawnSync } from 'node:child_process';

const isRoot = process.getuid?.() === 0;
const withoutRootRights = [
  'setpriv',
  '--bounding-set=-dac_override,-dac_read_search',
  '--inh-caps=-dac_override,-dac_read_search',
];

/** The start of a command line whose process is refused files by their mode, as root is not; undefined where there is none. */
export const ordinaryNode: readonly string[] | undefined = commandLine();

function commandLine(): readonly string[] | undefined {
  if (process.platform === 'win32') return undefined;
  if (!isRoot) return [process.execPath];
  const [setpriv = '', ...options] = withoutRootRights;
  return spawnSync(setpriv, [...options, 'true']).status === 0
    ? [...withoutRootRights, process.execPath]
    : undefined;
}
