import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PublicTypes } from './public-types.ts';

const root = join(import.meta.dirname, '../../..');

/** Returns the declaration files of the entry points of a package. */
function entriesOf(folder: string): readonly string[] {
  const { exports } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as {
    readonly exports: { readonly [entry: string]: string | { readonly types?: string } };
  };
  return Object.values(exports).flatMap((target) =>
    typeof target === 'string' || target.types === undefined
      ? []
      : [join(root, folder, target.types)],
  );
}

describe.each(['libs/agent-client', 'libs/file-sandbox', 'libs/mcp-core', 'libs/server-kit'])(
  'the entry points of %s',
  (folder) => {
    const entries = entriesOf(folder);

    test('export every type that their signatures mention', () => {
      expect(new PublicTypes().unexported(entries)).toEqual([]);
    });

    test('export each name once', () => {
      expect(new PublicTypes().repeated(entries)).toEqual([]);
    });
  },
);

/** Names of the interfaces whose members a caller writes, apart from definitions, which have the members of the specification. */
const OPTIONS = /(?:Options|Limits?|Events|Extensions|Settings|Handlers|Capabilities|Main)$/u;

test.each(['libs/agent-client', 'libs/file-sandbox', 'libs/mcp-core', 'libs/server-kit'])(
  'the options of %s have fewer than ten members, inherited ones included',
  (folder) => {
    const counts = new PublicTypes().memberCounts(entriesOf(folder), OPTIONS);
    expect([...counts].filter(([, members]) => members >= 10)).toEqual([]);
    expect([...counts].filter(([, members]) => members === 0)).toEqual([]);
    expect(counts.size).toBeGreaterThan(2);
  },
);

/** Capabilities as a peer sent them, which nobody passes as options. */
const WIRE = /^(?:Client|Server)Capabilities\./u;

test.each(['libs/agent-client', 'libs/file-sandbox', 'libs/mcp-core', 'libs/server-kit'])(
  'the optional members of the options of %s accept undefined',
  (folder) => {
    const missing = new PublicTypes().withoutUndefined(entriesOf(folder), OPTIONS);
    expect(missing.filter((member) => !WIRE.test(member))).toEqual([]);
  },
);

test('an optional member that does not accept undefined is reported', () => {
  const entry = join(mkdtempSync(join(tmpdir(), 'public-types-')), 'own.d.ts');
  writeFileSync(
    entry,
    `export interface OwnOptions {
    readonly required: number;
    readonly number?: number;
    readonly numberOrNone?: number | undefined;
    readonly any?: unknown;
    readonly nested?: {
        readonly text?: string;
        readonly textOrNone?: string | undefined;
    } | undefined;
    readonly call?: (value: string) => void | undefined;
    readonly callOrNone?: ((value: string) => void) | undefined;
    readonly object?: {
        readonly size: number;
    };
}
`,
  );
  expect(new PublicTypes().withoutUndefined([entry], /Options$/u)).toEqual([
    'OwnOptions.number',
    'OwnOptions.text',
    'OwnOptions.call',
    'OwnOptions.object',
  ]);
});

test('results of requests are no interfaces, which a JsonObject does not accept', () => {
  const counts = new PublicTypes().memberCounts(
    entriesOf('libs/mcp-core'),
    /(?:Result|^Completion)$/u,
  );
  // A message, not the result of a request.
  expect([...counts.keys()]).toEqual(['JsonRpcResult']);
});

test('inherited members are counted', () => {
  const folder = mkdtempSync(join(tmpdir(), 'public-types-'));
  writeFileSync(
    join(folder, 'base.d.ts'),
    'export interface BaseOptions {\n    /** First. */\n    readonly one?: {\n        readonly nested: 1;\n    };\n    two(): void;\n}\n',
  );
  const entry = join(folder, 'own.d.ts');
  writeFileSync(
    entry,
    "import type { BaseOptions } from './base.ts';\nexport interface OwnOptions<T> extends BaseOptions {\n    readonly two?: T;\n    readonly three: T;\n}\nexport interface Other {\n    four: 4;\n}\n",
  );
  expect(new PublicTypes().memberCounts([entry], /Options$/u)).toEqual(
    new Map([['OwnOptions', 3]]),
  );
  writeFileSync(entry, 'export interface OwnOptions extends Partial<Other> {\n    one: 1;\n}\n');
  expect(() => new PublicTypes().memberCounts([entry], /Options$/u)).toThrow('extends Partial');
});

test('a type that only a signature mentions, and a name that two entries export, are reported', () => {
  const folder = mkdtempSync(join(tmpdir(), 'public-types-'));
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  write(
    'a.d.ts',
    "import type { B } from './b.ts';\nexport declare function a(b: B): C;\ninterface C {\n    b: B;\n}\n",
  );
  write('b.d.ts', "/** Like {@link Other}. */\nexport interface B {\n    name: 'Other';\n}\n");
  const one = write('one.d.ts', "export { a } from './a.ts';\n");
  const two = write(
    'two.d.ts',
    "export { a as again } from './a.ts';\nexport type { B } from './b.ts';\n",
  );
  expect(new PublicTypes().unexported([one])).toEqual(['B (mentioned by a)', 'C (mentioned by a)']);
  expect(new PublicTypes().unexported([one, two])).toEqual(['C (mentioned by a)']);
  expect(new PublicTypes().repeated([one, two])).toEqual(['a']);
});
