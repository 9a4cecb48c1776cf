import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { expect, test } from 'vitest';

const root = import.meta.dirname;
const docs = readFileSync(join(root, '../../../../docs/architecture.md'), 'utf8');
const sources = globSync('**/*.ts', { cwd: root })
  .map((path) => path.replaceAll(sep, '/'))
  .filter((path) => !path.endsWith('.test.ts') && !path.startsWith('testing/'));

/** Rows of the table of phases: a folder and the files to begin with. */
const rows = [...docs.matchAll(/^\| [^|]+ \| `([a-z]+)` \| ([^|]+) \|$/gm)].map(
  ([, folder = '', files = '']) => ({
    folder,
    files: [...files.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  }),
);

function importsOf(path: string): readonly string[] {
  const text = readFileSync(join(root, path), 'utf8');
  return [...text.matchAll(/from '(\.[^']+)'/g)]
    .map(([, to = '']) => normalize(join(dirname(path), to)).replaceAll(sep, '/'))
    .filter((to) => !to.startsWith('../'));
}

function folderOf(path: string): string {
  return path.includes('/') ? (path.split('/')[0] ?? '') : '';
}

test('docs/architecture.md names every folder of the engine once, and files that exist', () => {
  const folders = [...new Set(sources.map(folderOf))].filter((folder) => folder !== '');
  expect(rows.map(({ folder }) => folder).toSorted()).toEqual(folders.toSorted());
  const named = rows.flatMap(({ folder, files }) => files.map((file) => `${folder}/${file}`));
  expect(named.filter((path) => !sources.includes(path))).toEqual([]);
});

test('folders of the engine import in the order of docs/architecture.md', () => {
  const order = /go one way: `([^`]+)`; `follow`/.exec(docs)?.[1]?.split(' ← ') ?? [];
  expect([...order, 'follow'].toSorted()).toEqual(rows.map(({ folder }) => folder).toSorted());
  const upward = sources.flatMap((path) =>
    importsOf(path)
      .filter((to) => folderOf(path) !== '' && folderOf(to) !== folderOf(path))
      .filter(
        (to) => !order.slice(0, Math.max(0, order.indexOf(folderOf(path)))).includes(folderOf(to)),
      )
      .map((to) => `${path} -> ${to}`),
  );
  expect(upward).toEqual([]);
});

test('the engine has no import circle, type imports included', () => {
  const graph = new Map(sources.map((path) => [path, importsOf(path)]));
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path))
      circles.push([...trail.slice(trail.indexOf(path)), path].join(' -> '));
    if (trail.includes(path) || done.has(path)) return;
    for (const to of graph.get(path) ?? []) visit(to, [...trail, path]);
    done.add(path);
  };
  for (const path of sources) visit(path, []);
  expect(circles).toEqual([]);
});
