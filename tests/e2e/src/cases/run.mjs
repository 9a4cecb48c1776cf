// Runs the acceptance cases of one server, or of all: npm run cases -- filesystem. Ends with a line
// of counts. The cases run as they are worded: attacks for 20 s, files of the full size, and time
// limits by the clock, so that the machine must have nothing else to do.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../..', import.meta.url));
const report = fileURLToPath(new URL('../../.results/cases.json', import.meta.url));
const [server = ''] = process.argv.slice(2);

rmSync(report, { force: true });
const { status } = spawnSync(
  'vitest',
  [
    'run',
    `src/cases/${server}`,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ],
  {
    cwd: folder,
    env: { ...process.env, CASES_IN_FULL: '1' },
    stdio: 'inherit',
    shell: process.platform === 'win32',
  },
);
const counts =
  /** @type {{ numPassedTests: number, numFailedTests: number, numPendingTests: number }} */ (
    JSON.parse(readFileSync(report, 'utf8'))
  );
const { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped } = counts;
process.stdout.write(
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`,
);
process.exit(status === 0 && passed > 0 ? 0 : 1);
