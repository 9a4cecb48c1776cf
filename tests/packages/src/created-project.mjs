// A project that `npm create @signalbox/server` makes of the packed packages: its tests, its package and its bundle.
import { join } from 'node:path';
import { tryServer } from './installed-package.mjs';
import { packFolder, unpackBundle } from './mcp-bundle.mjs';
import { readJson, run } from './packages.mjs';
import { registryProblems } from './registry-entry.mjs';

const NAME = 'trip-notes';
const CALL = { tool: 'write_note', arguments: { title: 'Monday', text: 'Rain' } };

/** Creates a project in a folder and publishes it nowhere. Returns its problems, and the size of its bundle in bytes. @throws Error where a command fails */
export async function createdProject({ tarball }, libraries, folder) {
  const create = ['exec', '--yes', '--package', tarball, '--', 'create-server', NAME];
  run('npm', [...create, '--scope', 'acme', '--libraries', libraries], folder);
  const project = join(folder, NAME);
  const found = [];
  run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline'], project);
  run('npm', ['test'], project);
  run('npm', ['pack'], project);
  const help = run('npx', ['--no-install', 'acme-trip-notes', '--version'], project);
  if (!help.includes('acme-trip-notes 0.1.0')) found.push(`the created command prints ${help}`);
  const manifest = readJson(join(project, 'package.json'));
  found.push(...registryProblems(readJson(join(project, 'server.json')), manifest));
  run('npm', ['prune', '--omit=dev'], project);
  const target = join(folder, `${NAME}.mcpb`);
  const size = await packFolder(project, target);
  const tools = await tryServer(await unpackBundle(target, join(folder, 'unpacked'), {}), CALL);
  if (tools.length !== 1) found.push('the bundle of the created project has no tool');
  return { found, size };
}
