import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Origin, ServerManifest } from '@signalbox/create-server';

/** A package.json. */
export interface Manifest extends Partial<ServerManifest> {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly [field: string]: unknown;
}

/** A package that is published. */
export interface PublishedPackage {
  /** Path relative to the root of the workspace, with forward slashes. */
  readonly folder: string;
  readonly manifest: Manifest;
}

/** Returns the packages of the workspace that are published, by folder. */
export function publishedPackages(root: string): readonly PublishedPackage[] {
  return globSync('{apps,libs,servers,tools}/*/package.json', { cwd: root })
    .toSorted()
    .map((file) => ({
      folder: dirname(file).replaceAll('\\', '/'),
      manifest: readJson<Manifest>(join(root, file)),
    }))
    .filter(({ manifest }) => manifest.private !== true);
}

/** Returns the origin that the root package.json names. */
export function originOf(root: string): Origin {
  return readJson<Origin>(join(root, 'package.json'));
}

/** Returns the content of a JSON file, which must have the type of the caller. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the cast is in one place
export function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8')) as T;
}
