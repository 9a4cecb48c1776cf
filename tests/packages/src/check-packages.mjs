// npm run check-packages: packs every package that is published and checks it: the tarball with publint and arethetypeswrong, its programs after an installation in an
// empty project, its SBOM; of each server also the entry for the MCP Registry and the MCP Bundle; and a release by nx release in a clone. Needs the registry of npm. Ends with 1 where it finds a problem.
// `-- --keep FOLDER` keeps tarballs, bundles and SBOMs in a folder.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  importEntries,
  installAlone,
  runCommands,
  serveDemo,
  tryServer,
} from './installed-package.mjs';
import { createdProject } from './created-project.mjs';
import { packBundle, rejectsWrongManifest, unpackBundle } from './mcp-bundle.mjs';
import { formatProblems } from './package-format.mjs';
import { packAll, readJson, root } from './packages.mjs';
import { acceptedWrongEntries, registryProblems } from './registry-entry.mjs';
import { releaseInClone } from './release.mjs';
import { sbomOf, sbomProblems } from './sbom.mjs';

/** Values of a user, and a call that a server must answer with them. */
const SERVERS = {
  filesystem: {
    args: (folder) => [folder],
    userConfig: (folder) => ({ allowed_directory: [folder] }),
    call: { tool: 'list_allowed_directories', arguments: {} },
  },
  sqlite: {
    args: (folder) => [join(folder, 'shop.db')],
    userConfig: (folder) => ({ database_file: join(folder, 'shop.db') }),
    call: { tool: 'read_query', arguments: { query: 'SELECT 1' } },
  },
  weather: {
    args: () => ['--demo'],
    userConfig: () => ({ mcp_weather_demo: true }),
    call: { tool: 'weather_current', arguments: { location: 'Oslo' } },
  },
};

/** A server that is started without arguments and not called. */
const UNKNOWN_SERVER = { args: () => [], userConfig: () => ({}), call: undefined };

const { values } = parseArgs({ options: { keep: { type: 'string' } } });
const work = mkdtempSync(join(tmpdir(), 'check-packages-'));
const kept = values.keep === undefined ? join(work, 'kept') : resolve(values.keep);
const { author } = readJson(join(root, 'package.json'));
let problems = 0;
try {
  mkdirSync(kept, { recursive: true });
  const packages = packAll(kept);
  for (const each of packages) {
    const result = await checkPackage(each, packages);
    report(each.name, result);
  }
  const { found, version } = releaseInClone(join(work, 'release'));
  report('nx release', { found, done: [`version ${version} in a clone`] });
} finally {
  rmSync(work, { recursive: true, force: true });
}
process.exitCode = problems === 0 ? 0 : 1;

function report(name, { found, done }) {
  console.log(`${name}: ${found.length === 0 ? 'no problems' : ''} (${done.join('; ')})`);
  for (const problem of found) console.log(`  ${problem}`);
  problems += found.length;
}

async function checkPackage(each, packages) {
  const found = await formatProblems(each);
  const done = ['tarball'];
  try {
    const short = each.name.replace('@signalbox/', '');
    const project = installAlone(each, packages, join(work, short));
    const { peerDependencies: peers } = each.manifest;
    // The programs of a package need no peers, its library does.
    const user =
      peers === undefined
        ? project
        : installAlone(each, packages, join(work, `${short}-user`), peers);
    const entries = importEntries(each, user);
    const commands = runCommands(each, project);
    done.push(
      `installed alone, ${entries.length} entries imported, npx ${commands.join(', ') || 'nothing'}`,
    );
    const sbom = sbomOf(each, project);
    found.push(...sbomProblems(sbom, Object.keys(each.manifest.dependencies ?? {})));
    writeFileSync(join(kept, `${short}.cdx.json`), JSON.stringify(sbom, null, 2));
    done.push(`SBOM of ${sbom.components.length} components`);
    if (short === 'agent') {
      const servers = await serveDemo(project);
      if (servers.join() !== Object.keys(SERVERS).join()) found.push(`serve --demo has ${servers}`);
      done.push(`serve --demo with ${servers.join(', ')}`);
    }
    if (short === 'create-server') {
      const { found: wrong, size } = await createdProject(each, kept, project);
      found.push(...wrong);
      done.push(`a created project passes its tests, ${(size / 1e6).toFixed(1)} MB bundle`);
    }
    const server = SERVERS[short.replace('server-', '')] ?? UNKNOWN_SERVER;
    if (each.manifest.mcpName !== undefined)
      await checkServer(each, server, { project, found, done });
  } catch (error) {
    found.push(
      error instanceof Error ? `${error.message}\n${error.stderr ?? ''}`.trim() : String(error),
    );
  }
  return { found, done };
}

async function checkServer(each, { args, userConfig, call }, { project, found, done }) {
  const serverJson = readJson(join(each.folder, 'server.json'));
  found.push(...registryProblems(serverJson, each.manifest));
  for (const wrong of acceptedWrongEntries(serverJson, each.manifest))
    found.push(`the check of server.json accepts ${wrong}`);
  const [command] = Object.keys(each.manifest.bin);
  const tools = await tryServer(
    { command: 'npx', args: ['--no-install', command, ...args(project)], cwd: project },
    call,
  );
  const folder = join(project, 'bundle');
  const target = join(kept, `${command}-${each.manifest.version}.mcpb`);
  const size = await packBundle(
    { ...each, serverJson, tools },
    { project, folder, target, author },
  );
  if (!rejectsWrongManifest(folder)) found.push('mcpb accepts a manifest without a server');
  const start = await unpackBundle(target, join(project, 'unpacked'), userConfig(project));
  const bundled = await tryServer(start, call);
  if (bundled.length !== tools.length) found.push('the bundle has other tools than the package');
  done.push(`server.json, ${(size / 1e6).toFixed(1)} MB bundle with ${bundled.length} tools`);
}
