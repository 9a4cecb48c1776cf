import { posix } from 'node:path';
import { createProjectGraphAsync, readJson, writeJson, type Tree } from '@nx/devkit';

/** Layers of packages whose types no package needs: servers are started as programs, and the console is a set of files. */
const NEVER_IMPORTED = ['layer:server', 'layer:console'];

interface TsConfig {
  references?: { path: string }[];
}

/** Layers whose packages are checked with `tsconfig.tests.json` and emit nothing. */
const WITHOUT_OUTPUT = ['layer:test', 'layer:example'];

/** Keeps every tsconfig.json's "references" equal to the workspace packages that its package.json depends on. */
export default async function references(tree: Tree): Promise<{ outOfSyncMessage: string } | void> {
  const graph = await createProjectGraphAsync();
  const stale: string[] = [];
  const set = (file: string, paths: string[]): void => {
    const json = readJson<TsConfig>(tree, file);
    const want = paths.toSorted().map((path) => ({ path }));
    if (JSON.stringify(json.references ?? []) === JSON.stringify(want)) return;
    writeJson(tree, file, { ...json, references: want });
    stale.push(file);
  };
  const rootOf = (name: string): string | undefined => {
    const root = graph.nodes[name]?.data.root;
    const emits =
      graph.nodes[name]?.data.tags?.some((tag) => WITHOUT_OUTPUT.includes(tag)) !== true;
    return root !== undefined && root !== '.' && emits && tree.exists(`${root}/tsconfig.json`)
      ? root
      : undefined;
  };
  const all = Object.keys(graph.nodes).flatMap((name) => rootOf(name) ?? []);
  set(
    'tsconfig.json',
    all.map((root) => `./${root}`),
  );
  for (const name of Object.keys(graph.nodes)) {
    const root = rootOf(name);
    if (root === undefined) continue;
    const isImported = (target: string): boolean =>
      graph.nodes[target]?.data.tags?.some((tag) => NEVER_IMPORTED.includes(tag)) !== true;
    const deps = (graph.dependencies[name] ?? []).flatMap((d) =>
      isImported(d.target) ? (rootOf(d.target) ?? []) : [],
    );
    set(
      `${root}/tsconfig.json`,
      [...new Set(deps)].map((dep) => posix.relative(root, dep)),
    );
  }
  if (stale.length > 0)
    return {
      outOfSyncMessage: `TypeScript project references are out of date in ${stale.join(', ')}`,
    };
}
