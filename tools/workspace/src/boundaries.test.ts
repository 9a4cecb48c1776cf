import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createProjectGraphAsync } from '@nx/devkit';
import { expect, test } from 'vitest';
import { boundaryProblems, type Project } from './boundaries.ts';

const root = join(import.meta.dirname, '../../..');

interface Manifest {
  readonly name: string;
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
}

const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

const project = (name: string, layer: string, more: Partial<Project> = {}): Project => ({
  name,
  tags: [layer],
  dependencies: [],
  declared: new Set(),
  files: [],
  ...more,
});

async function workspace(): Promise<Project[]> {
  const graph = await createProjectGraphAsync({ exitOnError: true });
  return Object.values(graph.nodes)
    .filter((node) => node.data.root !== '.')
    .map((node) => {
      const folder = join(root, node.data.root);
      const manifest = manifestOf(folder);
      return {
        name: node.name,
        tags: node.data.tags ?? [],
        dependencies: (graph.dependencies[node.name] ?? []).map((edge) => edge.target),
        declared: new Set([...Object.keys(manifest.dependencies ?? {}), ...Object.keys(manifest.devDependencies ?? {})]),
        files: globSync('src/**/*.ts', { cwd: folder }).map((path) => ({
          path: relative(root, join(folder, path)),
          text: readFileSync(join(folder, path), 'utf8'),
        })),
      };
    });
}

test('every edge of the workspace points the way its layers allow', { timeout: 60_000 }, async () => {
  const projects = await workspace();
  expect(projects.map((each) => each.name)).toEqual(expect.arrayContaining(['@signalbox/mcp-core', '@signalbox/agent', '@signalbox/server-sqlite']));
  const development = new Set(Object.keys(manifestOf(root).devDependencies ?? {}));
  expect(boundaryProblems(projects, development)).toEqual([]);
});

test('a server that depends on another server is named', () => {
  const problems = boundaryProblems([project('a', 'layer:server', { dependencies: ['b'] }), project('b', 'layer:server')], new Set());
  expect(problems).toEqual(['a (layer:server) may not depend on b (layer:server)']);
});

test('the core depends on nothing of the workspace', () => {
  const problems = boundaryProblems([project('core', 'layer:core', { dependencies: ['kit'] }), project('kit', 'layer:kit')], new Set());
  expect(problems).toEqual(['core (layer:core) may not depend on kit (layer:kit)']);
});

test('a project without a layer is named', () => {
  expect(boundaryProblems([project('a', 'type:lib')], new Set())).toEqual(['a: needs exactly one known layer: tag, has "type:lib"']);
});

test('an import that package.json does not declare is named with its file', () => {
  const files = [{ path: 'x/src/a.ts', text: "import { z } from 'zod/v4';\nimport { join } from 'node:path';\nimport { b } from './b.ts';" }];
  expect(boundaryProblems([project('x', 'layer:core', { files })], new Set(['zod']))).toEqual([
    'x/src/a.ts: imports zod, which the package.json of x does not declare',
  ]);
  expect(boundaryProblems([project('x', 'layer:core', { files, declared: new Set(['zod']) })], new Set())).toEqual([]);
});

test('a test file may import what the root declares for development', () => {
  const files = [{ path: 'x/src/a.test.ts', text: "import { test } from 'vitest';" }];
  expect(boundaryProblems([project('x', 'layer:core', { files })], new Set(['vitest']))).toEqual([]);
});
