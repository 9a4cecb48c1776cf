// Runs the acceptance cases of one server, or of all: npm run cases -- filesystem. Ends with a line
// of counts. The cases run as they are worded: attacks for 20 s, files of the full size, and time
// limits by the clock, so that the machine must have nothing else to do.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../..', import.meta.url));
const reportPath = fileURLToPath(new URL('../../.results/cases.json', import.meta.url));
const [server = ''] = process.argv.slice(2);

rmSync(reportPath, { force: true });
const { status } = spawnSync(
  'vitest',
  [
    'run',
    `src/cases/${server}`,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${reportPath}`,
  ],
  {
    cwd: folder,
    env: { ...process.env, CASES_IN_FULL: '1' },
    stdio: 'inherit',
    shell: process.platform === 'win32',
  },
);
const report =
  /** @type {{ success: boolean, numPassedTests: number, numFailedTests: number, numPendingTests: number }} */ (
    JSON.parse(readFileSync(reportPath, 'utf8'))
  );
const { numPassedTests: passed, numPendingTests: skipped } = report;
// A file that could not be loaded has no failed test.
const failed = Math.max(report.numFailedTests, report.success ? 0 : 1);
process.stdout.write(
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`,
);
process.exit(status === 0 && failed === 0 && passed > 0 ? 0 : 1);
