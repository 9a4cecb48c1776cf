import { globSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { createProjectGraphAsync } from '@nx/devkit';
import { expect, test } from 'vitest';
import { boundaryProblems, type Project } from './boundaries.ts';

const root = join(import.meta.dirname, '../../..');

interface Manifest {
  readonly name: string;
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

const project = (name: string, layer: string, more: Partial<Project> = {}): Project => ({
  name,
  root: name,
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
        root: node.data.root,
        tags: node.data.tags ?? [],
        dependencies: (graph.dependencies[node.name] ?? []).map((edge) => edge.target),
        declared: new Set([
          ...Object.keys(manifest.dependencies ?? {}),
          ...Object.keys(manifest.devDependencies ?? {}),
          ...Object.keys(manifest.optionalDependencies ?? {}),
        ]),
        files: globSync(['src/**/*.{ts,tsx,mts,cts,js,mjs,cjs}', '*.{js,mjs,cjs}'], {
          cwd: folder,
        }).map((path) => ({
          path: relative(root, join(folder, path)).replaceAll(sep, '/'),
          text: readFileSync(join(folder, path), 'utf8'),
        })),
      };
    });
}

test('every edge of the workspace points the way its layers allow', async () => {
  const projects = await workspace();
  expect(projects.map((each) => each.name)).toEqual(
    expect.arrayContaining(['@signalbox/mcp-core', '@signalbox/agent', '@signalbox/server-sqlite']),
  );
  const development = new Set(Object.keys(manifestOf(root).devDependencies ?? {}));
  expect(projects.flatMap(({ files }) => files.map(({ path }) => path))).toEqual(
    expect.arrayContaining([
      'apps/agent/src/main.ts',
      'apps/console/src/main.tsx',
      'bench/src/servers/sdk-v2.mjs',
      'servers/sqlite/bin.js',
    ]),
  );
  expect(boundaryProblems(projects, development)).toEqual([]);
});

test('a server that depends on another server is named', () => {
  const problems = boundaryProblems(
    [project('a', 'layer:server', { dependencies: ['b'] }), project('b', 'layer:server')],
    new Set(),
  );
  expect(problems).toEqual(['a (layer:server) may not depend on b (layer:server)']);
});

test('the core depends on nothing of the workspace', () => {
  const problems = boundaryProblems(
    [project('core', 'layer:core', { dependencies: ['kit'] }), project('kit', 'layer:kit')],
    new Set(),
  );
  expect(problems).toEqual(['core (layer:core) may not depend on kit (layer:kit)']);
});

test('an app may depend on a server to start it, and may not import it', () => {
  const server = project('server', 'layer:server');
  const app = project('app', 'layer:app', {
    dependencies: ['server'],
    declared: new Set(['server']),
  });
  expect(boundaryProblems([app, server], new Set())).toEqual([]);
  for (const specifier of ['server', 'server/package.json']) {
    const files = [{ path: 'app/src/a.ts', text: `import x from '${specifier}';` }];
    expect(boundaryProblems([{ ...app, files }, server], new Set())).toEqual([
      'app/src/a.ts: imports server, a server: app may start it as a program only',
    ]);
  }
});

test('an app ships the console and does not import it', () => {
  const consoleProject = project('console', 'layer:console');
  const files = [{ path: 'app/src/a.ts', text: "import { x } from 'console-files';" }];
  const app = project('app', 'layer:app', {
    dependencies: ['console-files'],
    declared: new Set(['console-files']),
  });
  const shipped = { ...consoleProject, name: 'console-files' };
  expect(boundaryProblems([app, shipped], new Set())).toEqual([]);
  expect(boundaryProblems([{ ...app, files }, shipped], new Set())).toEqual([
    'app/src/a.ts: imports console-files, the console: app may ship its files only',
  ]);
});

test('a project without a layer is named', () => {
  expect(boundaryProblems([project('a', 'type:lib')], new Set())).toEqual([
    'a: needs exactly one known layer: tag, has "type:lib"',
  ]);
});

test('an import that package.json does not declare is named with its file', () => {
  const files = [
    {
      path: 'x/src/a.ts',
      text: "import { z } from 'zod/v4';\nimport { join } from 'node:path';\nimport { b } from './b.ts';",
    },
  ];
  expect(boundaryProblems([project('x', 'layer:core', { files })], new Set(['zod']))).toEqual([
    'x/src/a.ts: imports zod, which the package.json of x does not declare',
  ]);
  expect(
    boundaryProblems(
      [project('x', 'layer:core', { files, declared: new Set(['zod']) })],
      new Set(),
    ),
  ).toEqual([]);
});

test('a test file may import what the root declares for development', () => {
  const files = [{ path: 'x/src/a.test.ts', text: "import { test } from 'vitest';" }];
  expect(boundaryProblems([project('x', 'layer:core', { files })], new Set(['vitest']))).toEqual(
    [],
  );
});

// Uses placeholders, so that the boundary check of this file does not treat the samples as imports.
const foreign = 'zod';
const sibling = '../../../xy';

test.each([
  `await import('${foreign}');`,
  `const load = () => import(/* late */ '${foreign}');`,
  `void import(\`${foreign}\`);`,
  `require('${foreign}/v4');`,
  `import.meta.resolve('${foreign}');`,
  `export * from '${foreign}';`,
  `import '${foreign}';`,
  `import {\n  z,\n} from '${foreign}';`,
])('an undeclared import is found in %j', (text) => {
  const problems = boundaryProblems(
    [project('x', 'layer:core', { files: [{ path: 'x/src/a.mjs', text }] })],
    new Set(),
  );
  expect(problems).toEqual([
    'x/src/a.mjs: imports zod, which the package.json of x does not declare',
  ]);
});

test('a path into another project is named, whatever the layers; one inside the project is not', () => {
  const files = [
    {
      path: 'servers/x/src/sub/a.ts',
      text: `import '../b.ts';\nimport { c } from '../../../../libs/core/src/c.ts';\nawait import('${sibling}/src/d.ts');`,
    },
  ];
  expect(
    boundaryProblems([project('x', 'layer:server', { root: 'servers/x', files })], new Set()),
  ).toEqual([
    'servers/x/src/sub/a.ts: imports libs/core/src/c.ts, which is outside of x',
    'servers/x/src/sub/a.ts: imports servers/xy/src/d.ts, which is outside of x',
  ]);
});

test('the foreign packages of tests are open to tests alone', () => {
  const files = [
    {
      path: 'some/x/src/a.test.ts',
      text: "import { LLMock } from '../../../tests/peers/src/mock-models.ts';",
    },
  ];
  expect(
    boundaryProblems([project('x', 'layer:test', { root: 'some/x', files })], new Set()),
  ).toEqual([]);
  expect(
    boundaryProblems([project('x', 'layer:app', { root: 'some/x', files })], new Set()),
  ).toHaveLength(1);
});
