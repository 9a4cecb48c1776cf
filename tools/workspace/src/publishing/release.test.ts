import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { publishedPackages, readJson } from './published-packages.ts';

const root = join(import.meta.dirname, '../../../..');
const packages = publishedPackages(root);
const workflow = readFileSync(join(root, '.github/workflows/release.yml'), 'utf8');

test('nx release has every package that is published, in one version', () => {
  const { release } = readJson<{
    readonly release: {
      readonly projects: readonly string[];
      readonly projectsRelationship: string;
    };
  }>(join(root, 'nx.json'));
  const folders = globSync([...release.projects], { cwd: root }).toSorted();
  expect(release.projectsRelationship).toBe('fixed');
  expect(folders).toEqual(packages.map(({ folder }) => folder));
  expect(new Set(packages.map(({ manifest }) => manifest.version)).size).toBe(1);
});

test('the workflow publishes every package with provenance, a package after those that it depends on', () => {
  const [, list = ''] = /for name in (.*); do/.exec(workflow) ?? [];
  const order = list.split(' ').map((name) => `@signalbox/${name}`);
  expect(order.toSorted()).toEqual(packages.map(({ manifest: { name } }) => name).toSorted());
  for (const { manifest } of packages) {
    const needed = Object.keys({
      ...(manifest['dependencies'] as object | undefined),
      ...(manifest['optionalDependencies'] as object | undefined),
    }).filter((name) => order.includes(name));
    for (const name of needed)
      expect(order.indexOf(name), `${manifest.name} needs ${name}`).toBeLessThan(
        order.indexOf(manifest.name),
      );
  }
  expect(workflow).toContain('id-token: write');
  expect(workflow).toMatch(/npm publish .* --provenance --access public/);
});

test('the workflow holds no token and names no host of a registry', () => {
  expect(workflow).not.toMatch(/secrets\.|registry-url|NODE_AUTH_TOKEN|_authToken/);
});
