import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

interface Manifest {
  readonly name: string;
  readonly workspaces?: readonly string[];
  readonly scripts?: { readonly [name: string]: string };
}

const root = join(import.meta.dirname, '../../..');
const read = (folder: string) =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;
const { workspaces = [], scripts = {} } = read('.');
const scriptsOf = new Map(
  globSync([...workspaces], { cwd: root }).map((folder) => {
    const manifest = read(folder);
    return [manifest.name, manifest.scripts ?? {}];
  }),
);
const commands = Object.keys(scripts).filter(
  (name) => !(name.startsWith('pre') && name.slice('pre'.length) in scripts),
);

test.each(commands)(
  'npm run %s works first in an empty clone: it installs what it needs',
  (name) => {
    const text = scripts[name] ?? '';
    const [, inner = '', workspace = ''] = /^npm run -s (\S+) -w (\S+)/.exec(text) ?? [];
    const first = [text, scripts[`pre${name}`], scriptsOf.get(workspace)?.[`pre${inner}`]];
    expect(first).toContainEqual(expect.stringMatching(/^node (?:\.\.\/)?tools\/bootstrap\.mjs/));
  },
);
