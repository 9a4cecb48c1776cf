// Finds problems of a tarball with publint and arethetypeswrong.
// A program imports the packages as modules: `require` loads them too (engines: Node >= 22.22), and `moduleResolution: node10` knows no `exports`, so these two
// are not checked, as with `attw --profile esm-only`.
import { readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const IGNORED_RESOLUTIONS = ['node10', 'node16-cjs'];

/** Files that a tarball has no use for. `create-server` contains the sources of the projects that it creates. */
const STRAY = /^(?!templates\/).*(?:\.map|\.tsbuildinfo|\.test\.[cm]?[jt]s|\.test\.d\.ts)$|^src\//;
const REQUIRED = ['LICENSE', 'README.md', 'package.json'];

/** Returns the problems of a packed package, one line each. */
export async function formatProblems({ manifest, tarball, files }) {
  const bytes = new Uint8Array(readFileSync(tarball));
  const { messages, pkg } = await publint({ pack: { tarball: bytes.buffer }, strict: true });
  return [
    ...messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false })}`),
    ...(manifest.exports === undefined ? [] : await typeProblems(bytes, manifest.exports)),
    ...files.filter((file) => STRAY.test(file)).map((file) => `the tarball contains ${file}`),
    ...REQUIRED.filter((file) => !files.includes(file)).map((file) => `the tarball lacks ${file}`),
    ...['author', 'homepage', 'bugs', 'repository', 'keywords', 'license', 'publishConfig']
      .filter((field) => manifest[field] === undefined)
      .map((field) => `package.json lacks ${field}`),
  ];
}

async function typeProblems(bytes, exports) {
  const { problems: wrongTypes = [], types } = await checkPackage(
    createPackageFromTarballData(bytes),
    { excludeEntrypoints: entriesOfTheWorkspace(exports) },
  );
  return [
    ...(types === false ? ['arethetypeswrong: the package has no types'] : []),
    ...wrongTypes
      .filter(({ resolutionKind }) => !IGNORED_RESOLUTIONS.includes(resolutionKind))
      .map((problem) => `arethetypeswrong: ${JSON.stringify(problem)}`),
  ];
}

/** Returns entries that only the sources of the workspace have, such as test utilities. Without a `default`, Node does not export them. */
function entriesOfTheWorkspace(exports) {
  return Object.entries(exports).flatMap(([entry, conditions]) =>
    typeof conditions === 'object' && conditions.default === undefined ? [entry] : [],
  );
}
