import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BASE_IMAGES, mcpbManifest, updateServerJson } from '@signalbox/create-server';
import type { ServerJson, ServerManifest } from '@signalbox/create-server';
import { describe, expect, test } from 'vitest';
import { originOf, publishedPackages, readJson } from './published-packages.ts';
import { publishingFiles } from './publishing-files.ts';

const root = join(import.meta.dirname, '../../../..');
const servers = publishedPackages(root).filter(({ folder }) => folder.startsWith('servers/'));

const serverOf = (
  folder: string,
): { readonly serverJson: ServerJson; readonly manifest: ServerManifest } => ({
  serverJson: readJson<ServerJson>(join(root, folder, 'server.json')),
  manifest: readJson<ServerManifest>(join(root, folder, 'package.json')),
});

test('npm run publishing-files has nothing to write', () => {
  const files = publishingFiles(root);
  expect([...files.keys()]).toEqual(
    expect.arrayContaining([
      'apps/agent/package.json',
      'servers/weather/Dockerfile',
      'docs/hosts.md',
    ]),
  );
  const outdated = [...files].filter(
    ([path, text]) =>
      !existsSync(join(root, path)) || readFileSync(join(root, path), 'utf8') !== text,
  );
  expect(outdated.map(([path]) => path)).toEqual([]);
});

test('every package names its folder in the repository, and every server its name in the MCP Registry', () => {
  const { repository } = originOf(root);
  expect(servers.length).toBeGreaterThanOrEqual(3);
  for (const { folder, manifest } of publishedPackages(root))
    expect(manifest.repository).toEqual({ ...repository, directory: folder });
  for (const { folder, manifest } of servers.filter(({ manifest: { name } }) =>
    name.startsWith('@signalbox/'),
  ))
    expect(manifest.mcpName).toBe(folder.replace('servers/', 'dev.signalbox/'));
});

test('the images of the servers have the base images of the service', () => {
  const text = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8');
  expect(text).toContain(
    `ARG NODE_VERSION=${BASE_IMAGES.node}\nARG DEBIAN_VERSION=${BASE_IMAGES.debian}\n`,
  );
});

describe('server.json', () => {
  test.each(servers.map(({ folder }) => folder))(
    'of %s has options that the README of the server documents',
    (folder) => {
      const [{ environmentVariables = [] }] = serverOf(folder).serverJson.packages;
      const readme = readFileSync(join(root, folder, 'README.md'), 'utf8');
      const options = environmentVariables.map(({ name }) =>
        name
          .replace(/^MCP_[A-Z]+_/, '--')
          .toLowerCase()
          .replaceAll('_', '-'),
      );
      expect(options.length).toBeGreaterThan(0);
      expect(options.filter((option) => !readme.includes(`\`${option}`))).toEqual([]);
    },
  );

  test('shortens a description to the 100 characters that the registry accepts', () => {
    const { serverJson, manifest } = serverOf('servers/weather');
    const { description } = updateServerJson(serverJson, {
      ...manifest,
      description: 'word '.repeat(40),
    });
    expect(description).toMatch(/^(?:word )+word…$/);
    expect(description.length).toBeLessThanOrEqual(100);
  });
});

describe('the manifest of a bundle', () => {
  test('asks for the argument and for every variable that has a default', () => {
    const { serverJson, manifest } = serverOf('servers/filesystem');
    const { server, user_config: options } = mcpbManifest(manifest, serverJson, { author: 'A' });
    expect(server.mcp_config).toEqual({
      command: 'node',
      args: ['${__dirname}/bin.js', '${user_config.allowed_directory}'],
      env: {
        MCP_FS_READ_ONLY: '${user_config.mcp_fs_read_only}',
        MCP_FS_CONFIRM: '${user_config.mcp_fs_confirm}',
      },
    });
    expect(options).toMatchObject({
      allowed_directory: { type: 'directory', multiple: true, required: true },
      mcp_fs_read_only: { type: 'boolean', title: 'Read only', default: false },
      mcp_fs_confirm: { type: 'string', default: 'auto' },
    });
  });

  test('of a server that calls a service names its privacy policy', () => {
    const { serverJson, manifest } = serverOf('servers/weather');
    expect(mcpbManifest(manifest, serverJson, { author: 'A' })).toMatchObject({
      privacy_policies: [expect.stringMatching(/^https:/) as string],
    });
  });
});
