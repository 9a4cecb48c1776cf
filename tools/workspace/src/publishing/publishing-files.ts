import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  BASE_IMAGES,
  DOCKERIGNORE,
  dockerfile,
  hostSections,
  updateServerJson,
  withOrigin,
  type ServerJson,
  type ServerManifest,
  type StartCommand,
} from '@signalbox/create-server';
import {
  originOf,
  publishedPackages,
  readJson,
  type Manifest,
  type PublishedPackage,
} from './published-packages.ts';

/** Page with the snippets for hosts, and the comments around the generated part. */
const HOSTS_PAGE = 'docs/hosts.md';
const GENERATED = /(<!-- npm run publishing-files -->\n).*?(<!-- end -->)/s;
/** Stands for the folder of the reader's clone. */
const CLONE = '/path/to/signalbox';

/**
 * Returns every file that follows from other files of the repository, with its current content: the addresses in the packages' package.json, and of each server
 * with a server.json that file, the Dockerfile and the snippets for hosts. Paths are relative to the root.
 */
export function publishingFiles(root: string): ReadonlyMap<string, string> {
  const origin = originOf(root);
  const packages = publishedPackages(root).map(({ folder, manifest }) => ({
    folder,
    manifest: withOrigin(manifest, folder, origin),
  }));
  const servers = packages.filter(({ folder }) => existsSync(join(root, folder, 'server.json')));
  return new Map([
    ...packages.map(
      ({ folder, manifest }) => [`${folder}/package.json`, jsonText(manifest)] as const,
    ),
    ...servers.flatMap(({ folder, manifest }) => serverFiles(root, folder, manifest)),
    ...(existsSync(join(root, HOSTS_PAGE))
      ? [[HOSTS_PAGE, hostsPage(root, servers)] as const]
      : []),
  ]);
}

function serverFiles(
  root: string,
  folder: string,
  manifest: Manifest,
): readonly (readonly [string, string])[] {
  const server = manifest as unknown as ServerManifest;
  const current = readJson<ServerJson>(join(root, folder, 'server.json'));
  return [
    [`${folder}/server.json`, jsonText(updateServerJson(current, server))],
    [`${folder}/Dockerfile`, dockerfile(server, folder, BASE_IMAGES)],
    [`${folder}/.dockerignore`, DOCKERIGNORE],
  ];
}

function hostsPage(root: string, servers: readonly PublishedPackage[]): string {
  // The servers that are published together with the agent.
  const { optionalDependencies = {} } = readJson<{ readonly optionalDependencies?: object }>(
    join(root, 'apps/agent/package.json'),
  );
  const own = servers.filter(({ manifest: { name } }) => name in optionalDependencies);
  const commands = own.map(({ folder }) => startCommand(root, folder));
  return readFileSync(join(root, HOSTS_PAGE), 'utf8').replace(
    GENERATED,
    (_, start: string, end: string) => `${start}\n${hostSections(commands, 2)}\n${end}`,
  );
}

/** Returns the command that starts a server from a clone, with example values for its required arguments. */
function startCommand(root: string, folder: string): StartCommand {
  const [{ packageArguments = [] }] = readJson<ServerJson>(
    join(root, folder, 'server.json'),
  ).packages;
  return {
    name: folder.replace(/.*\//, ''),
    command: 'node',
    args: [
      `${CLONE}/${folder}/bin.js`,
      ...packageArguments
        .filter(({ isRequired }) => isRequired === true)
        .map(({ placeholder = '' }) => placeholder),
    ],
  };
}

const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
