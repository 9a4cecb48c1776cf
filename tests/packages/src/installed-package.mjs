// A package that is installed alone, and its programs.
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { connectClient } from '@signalbox/mcp-core/client';
import { spawnStdio } from '@signalbox/mcp-core/stdio';
import { run, withDependencies } from './packages.mjs';

/** Milliseconds until a service must be ready. */
const READY_LIMIT_MS = 120_000;

/** Installs a package and the packages of the workspace that it needs into an empty project, and more packages on request. Returns the folder. */
export function installAlone({ name }, packages, folder, more = {}) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'package.json'),
    '{ "name": "project", "version": "1.0.0", "private": true, "type": "module" }\n',
  );
  const names = [name, ...Object.keys(more)];
  const own = new Set(names.flatMap((each) => withDependencies(each, packages)));
  const tarballs = [...own].map(({ tarball }) => tarball);
  const foreign = Object.entries(more)
    .filter(([each]) => !packages.some((candidate) => candidate.name === each))
    .map(([each, version]) => `${each}@${version}`);
  for (const tarball of tarballs) cpSync(tarball, join(folder, basename(tarball)));
  const files = tarballs.map((tarball) => `./${basename(tarball)}`);
  run(
    'npm',
    ['install', '--no-audit', '--no-fund', '--prefer-offline', ...files, ...foreign],
    folder,
  );
  return folder;
}

/** Imports every entry of an installed package. @throws Error where Node finds no file */
export function importEntries({ name, manifest }, folder) {
  const entries = Object.entries(manifest.exports ?? {})
    .filter(
      ([entry, target]) =>
        !entry.endsWith('.json') && (typeof target === 'string' || target.default !== undefined),
    )
    .map(([entry]) => `${name}${entry.slice(1)}`);
  run(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      entries.map((entry) => `await import('${entry}');`).join('\n'),
    ],
    folder,
  );
  return entries;
}

/** Runs every command of an installed package by npx. Returns their names. @throws Error unless each prints the version */
export function runCommands({ manifest }, folder) {
  const commands = Object.keys(typeof manifest.bin === 'string' ? {} : (manifest.bin ?? {}));
  for (const command of commands) {
    const output = run('npx', ['--no-install', command, '--version'], folder);
    if (!output.includes(manifest.version))
      throw new Error(`${command} --version prints ${output}`);
  }
  return commands;
}

/** Starts a server and returns its tools, after a call of one of them. @throws Error if the call fails */
export async function tryServer(command, call) {
  const client = await connectClient(() => spawnStdio(command), {
    info: { name: 'check-packages', version: '1.0.0' },
  });
  try {
    const tools = await client.listTools();
    if (call !== undefined) {
      const { isError, content } = await client.callTool(call.tool, call.arguments);
      if (isError === true) throw new Error(`${call.tool}: ${JSON.stringify(content)}`);
    }
    return tools;
  } finally {
    await client.close();
  }
}

/** Starts `signalbox serve --demo` of an installed agent and waits until its servers are ready. Returns their names. */
export async function serveDemo(folder) {
  const program = join(folder, 'node_modules/.bin/signalbox');
  const child = spawn(program, ['serve', '--demo', '--port', '0'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, SIGNALBOX_DATA_DIR: join(folder, 'data') },
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  try {
    const limit = performance.now() + READY_LIMIT_MS;
    while (performance.now() < limit && child.exitCode === null) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      const url = /ready on (http:\S+)/.exec(output)?.[1];
      if (url === undefined) continue;
      const { data } = await (await fetch(`${url}/v1/servers`)).json();
      if (data.length > 0 && data.every(({ state }) => state === 'ready'))
        return data.map(({ name }) => name);
    }
    throw new Error(`signalbox serve --demo was not ready: ${output}`);
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

/** Copies the third-party packages of a project into the node_modules of another folder. */
export function copyThirdParty(project, folder) {
  for (const entry of readdirSync(join(project, 'node_modules')).filter(
    (name) => !name.startsWith('.') && name !== '@signalbox',
  ))
    cpSync(join(project, 'node_modules', entry), join(folder, 'node_modules', entry), {
      recursive: true,
    });
}
