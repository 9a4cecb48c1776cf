// MCP Bundles (.mcpb): a server with its dependencies in one file, which hosts install.
import { execFileSync } from 'node:child_process';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  getMcpConfigForManifest,
  packExtension,
  unpackExtension,
  validateManifest,
} from '@anthropic-ai/mcpb';
import { mcpbManifest } from '@signalbox/create-server';
import { copyThirdParty } from './installed-package.mjs';
import { readJson } from './packages.mjs';

/** Files that compile a native package. Bundles contain the compiled ones. */
const IGNORED = [
  'node_modules/*/deps',
  'node_modules/*/src',
  'node_modules/*/binding.gyp',
  'node_modules/node-addon-api',
];

/** Packs a bundle from a tarball and the third-party packages of a project where it is installed. Returns the size in bytes. @throws Error for an invalid manifest */
export async function packBundle(
  { tarball, manifest, serverJson, tools },
  { project, folder, target, author },
) {
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
  copyThirdParty(project, folder);
  const described = tools.map(({ name, description }) => ({ name, description }));
  const file = join(folder, 'manifest.json');
  writeFileSync(
    file,
    JSON.stringify(mcpbManifest(manifest, serverJson, { author, tools: described }), null, 2),
  );
  writeFileSync(join(folder, '.mcpbignore'), IGNORED.join('\n'));
  return packFolder(folder, target);
}

/** Packs a folder with a manifest.json. Returns the size of the bundle in bytes. @throws Error for an invalid manifest */
export async function packFolder(folder, target) {
  const file = join(folder, 'manifest.json');
  if (!silently(() => validateManifest(file))) throw new Error(`mcpb rejects ${file}`);
  const options = { extensionPath: folder, outputPath: target, silent: true };
  const isPacked = await silently(() => packExtension(options));
  if (!isPacked) throw new Error(`mcpb cannot pack ${folder}`);
  return statSync(target).size;
}

/** Unpacks a bundle into a folder. Returns the command with which a host starts it for a user's values. */
export async function unpackBundle(file, folder, userConfig) {
  if (!(await silently(() => unpackExtension({ mcpbPath: file, outputDir: folder, silent: true }))))
    throw new Error(`${file}: mcpb unpack failed`);
  const manifest = readJson(join(folder, 'manifest.json'));
  const config = await getMcpConfigForManifest({
    manifest,
    extensionPath: folder,
    systemDirs: {},
    userConfig,
    pathSeparator: '/',
  });
  if (config === undefined) throw new Error(`${file}: a required option has no value`);
  return { command: process.execPath, args: config.args, env: config.env, cwd: folder };
}

/** Whether mcpb rejects a manifest without a field that it requires. */
export function rejectsWrongManifest(folder) {
  const { server: _, ...manifest } = readJson(join(folder, 'manifest.json'));
  const file = join(folder, 'wrong-manifest.json');
  writeFileSync(file, JSON.stringify(manifest));
  return !silently(() => validateManifest(file));
}

/** mcpb writes its progress to stdout. */
function silently(action) {
  const { log, error } = console;
  console.log = () => undefined;
  console.error = () => undefined;
  const restore = () => Object.assign(console, { log, error });
  try {
    const result = action();
    if (result instanceof Promise) return result.finally(restore);
    restore();
    return result;
  } catch (failure) {
    restore();
    throw failure;
  }
}
