// npm run check-packages: packs every package that is published, and checks the tarballs with publint and arethetypeswrong. Ends with 1 where they find a problem.
// A program imports the packages as modules: `require` loads them too (engines: Node >= 22.22), and `moduleResolution: node10` knows no `exports`, so these two
// are not checked, as with `attw --profile esm-only`.
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const IGNORED_RESOLUTIONS = ['node10', 'node16-cjs'];
const root = join(import.meta.dirname, '../../..');
const folders = globSync('{apps,libs,servers}/*/package.json', { cwd: root })
  .map((file) => dirname(join(root, file)))
  .filter((folder) => manifestOf(folder).private !== true)
  .toSorted();
const target = mkdtempSync(join(tmpdir(), 'check-packages-'));
let problems = 0;
try {
  for (const { name, filename } of pack()) {
    const found = await problemsOf(name, readFileSync(join(target, filename)));
    console.log(`${name}: ${found.length === 0 ? 'no problems' : ''}`);
    for (const problem of found) console.log(`  ${problem}`);
    problems += found.length;
  }
} finally {
  rmSync(target, { recursive: true, force: true });
}
process.exitCode = problems === 0 ? 0 : 1;

function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

function pack() {
  const args = ['pack', ...folders, '--ignore-scripts', '--json', '--pack-destination', target];
  const packs = JSON.parse(
    execFileSync('npm', args, {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      shell: process.platform === 'win32',
    }),
  );
  return packs.toSorted((left, right) => left.name.localeCompare(right.name));
}

async function problemsOf(name, tarball) {
  const bytes = new Uint8Array(tarball);
  const { messages, pkg } = await publint({ pack: { tarball: bytes.buffer }, strict: true });
  const { exports } = manifestOf(folders.find((folder) => manifestOf(folder).name === name));
  const { problems: wrongTypes = [], types } = await checkPackage(
    createPackageFromTarballData(bytes),
    { excludeEntrypoints: entriesOfTheWorkspace(exports) },
  );
  return [
    ...messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false })}`),
    ...(types === false ? ['arethetypeswrong: the package has no types'] : []),
    ...wrongTypes
      .filter(({ resolutionKind }) => !IGNORED_RESOLUTIONS.includes(resolutionKind))
      .map((problem) => `arethetypeswrong: ${JSON.stringify(problem)}`),
  ];
}

/** Returns entries that only the sources of the workspace have, such as helpers of tests. Without a `default`, Node does not export them. */
function entriesOfTheWorkspace(exports) {
  return Object.entries(exports).flatMap(([entry, conditions]) =>
    typeof conditions === 'object' && conditions.default === undefined ? [entry] : [],
  );
}
