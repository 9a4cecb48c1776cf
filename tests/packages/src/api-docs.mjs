// npm run api-docs: writes the API reference of the libraries into docs/api, from the docstrings of their sources. With --check it writes nothing.
// Ends with 1 where a public symbol has no docstring, a type of a public signature is not exported, or a link leads nowhere.
// typedoc needs the compiler as a library, which TypeScript 7 is not: it uses the TypeScript 6 of this folder.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Application } from 'typedoc';

const root = join(import.meta.dirname, '../../..');
const manifests = globSync('libs/*/package.json', { cwd: root })
  .toSorted()
  .map((file) => ({
    folder: dirname(join(root, file)),
    manifest: JSON.parse(readFileSync(join(root, file), 'utf8')),
  }));

const app = await Application.bootstrapWithPlugins({
  name: 'Signalbox',
  entryPoints: manifests.flatMap(({ folder, manifest }) => sourcesOf(folder, manifest)),
  tsconfig: join(root, 'tests/packages/tsconfig.api.json'),
  out: join(root, 'docs/api'),
  readme: 'none',
  disableGit: true,
  sourceLinkTemplate: '',
  disableSources: true,
  excludePrivate: true,
  excludeExternals: true,
  // `npm run build` compiles the sources with the compiler of the workspace.
  skipErrorChecking: true,
  packagesRequiringDocumentation: manifests.map(({ manifest }) => manifest.name),
  requiredToBeDocumented: ['Class', 'Enum', 'Function', 'Interface', 'TypeAlias', 'Variable'],
  validation: { invalidLink: true, notDocumented: true, notExported: true },
  treatWarningsAsErrors: true,
  logLevel: 'Warn',
});
const project = await app.convert();
if (project === undefined) throw new Error('typedoc did not read the sources');
app.validate(project);
if (!process.argv.includes('--check')) await app.generateOutputs(project);
process.exitCode = app.logger.hasErrors() || app.logger.hasWarnings() ? 1 : 0;

/** Returns the source of each published entry point. */
function sourcesOf(folder, { exports }) {
  return Object.values(exports).flatMap((conditions) =>
    conditions.types === undefined ? [] : [join(folder, conditions['@signalbox/source'])],
  );
}
