import { execFileSync } from 'node:child_process';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { connectClient, type Client } from '@signalbox/mcp-core/client';
import { spawnStdio } from '@signalbox/mcp-core/stdio';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { installPacked, type InstalledPackage } from './testing/install-packed.ts';

const root = join(import.meta.dirname, '../../..');

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly license?: string;
  readonly keywords?: readonly string[];
  readonly publishConfig?: { readonly access?: string };
  readonly scripts?: { readonly [name: string]: string };
  readonly dependencies?: { readonly [name: string]: string };
  readonly peerDependencies?: { readonly [name: string]: string };
  readonly peerDependenciesMeta?: { readonly [name: string]: { readonly optional?: boolean } };
}

/** Starts the linked command of an installed package, as npx would. */
async function start(
  installed: InstalledPackage,
  command: string,
  args: readonly string[],
): Promise<Client> {
  const client = await connectClient(
    () =>
      spawnStdio({
        command: join(installed.home, 'node_modules/.bin', command),
        args,
        cwd: installed.home,
      }),
    {
      info: { name: 'packaging', version: '1.0.0' },
    },
  );
  onTestFinished(() => client.close());
  return client;
}

const servers = [
  {
    name: 'filesystem',
    args: ['.'],
    call: { tool: 'read_text_file', right: { path: 'package.json' }, wrong: { path: 7 } },
    answer: 'private',
    bundled: ['ajv 8.20.0 (MIT)', 'fast-uri 3.1.9 (BSD-3-Clause)', 're2js 2.10.0 (MIT)'],
  },
  {
    name: 'weather',
    args: ['--demo', '--demo-delay-ms', '0'],
    call: { tool: 'weather_current', right: { location: 'Oslo' }, wrong: { location: '' } },
    answer: 'Oslo',
    bundled: ['ajv 8.20.0 (MIT)', 'fast-uri 3.1.9 (BSD-3-Clause)'],
  },
] as const;

let all: readonly InstalledPackage[];
beforeAll(async () => {
  all = await installPacked(servers.map(({ name }) => join(root, 'servers', name)));
});

describe.each(servers.map((server, index) => ({ ...server, index })))(
  '$name, installed from its tarball alone',
  ({ name, index, args, call, answer, bundled }) => {
    let installed: InstalledPackage;
    beforeAll(() => {
      const own = all[index];
      if (own === undefined) throw new Error(`${name} was not installed`);
      installed = own;
    });

    test('brings nothing else along', () => {
      expect(
        readdirSync(join(installed.home, 'node_modules')).filter((entry) => !entry.startsWith('.')),
      ).toEqual(['@signalbox']);
      expect(readdirSync(join(installed.home, 'node_modules/@signalbox'))).toEqual([
        `server-${name}`,
      ]);
    });

    test('lists its tools, checks arguments and answers a call', async () => {
      const client = await start(installed, `signalbox-${name}`, args);
      expect((await client.listTools()).map((tool) => tool.name)).toContain(call.tool);
      const refused = await client.callTool(call.tool, call.wrong);
      expect(refused).toMatchObject({
        isError: true,
        content: [
          { text: expect.stringContaining(`Invalid arguments for ${call.tool}`) as string },
        ],
      });
      const result = await client.callTool(call.tool, call.right);
      expect(result.isError ?? false).toBe(false);
      expect(JSON.stringify(result.structuredContent)).toContain(answer);
    });

    test('has the licences of what was bundled', () => {
      const notices = readFileSync(
        join(installed.folder, 'bundle/THIRD-PARTY-NOTICES.txt'),
        'utf8',
      );
      for (const title of bundled) expect(notices).toContain(`\n${title}\n\n`);
      expect(
        notices.match(/Permission is hereby granted|Redistribution and use/g)?.length,
      ).toBeGreaterThanOrEqual(bundled.length);
    });

    test('has programs, types, licence and README, and no tests, sources or maps', () => {
      expect(installed.files).toEqual(
        expect.arrayContaining([
          'LICENSE',
          'README.md',
          'bin.js',
          'bundle/index.js',
          'bundle/main.js',
          'bundle/index.d.ts',
          'package.json',
        ]),
      );
      expect(
        installed.files.filter((file) =>
          /\.test\.|(?:^|\/)testing\/|\.map$|^src\/|\.tsbuildinfo$/.test(file),
        ),
      ).toEqual([]);
      expect(
        installed.files.filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts')),
      ).toEqual([]);
    });

    test('names only what it brings: every module that a program imports is bundled or of Node', () => {
      const imports = globSync('bundle/*.js', {
        cwd: installed.folder,
        exclude: ['bundle/index.js'],
      }).flatMap((file) =>
        [
          ...readFileSync(join(installed.folder, file), 'utf8').matchAll(
            /^(?:import|export)\b[^'"\n]*\bfrom\s*['"]([^'"]+)['"]/gm,
          ),
        ].map((match) => match[1] ?? ''),
      );
      expect(imports.length).toBeGreaterThan(0);
      expect(
        imports.filter(
          (specifier) =>
            !specifier.startsWith('node:') &&
            !existsSync(join(installed.folder, 'bundle', specifier)),
        ),
      ).toEqual([]);
    });
  },
);

test('no package of the workspace is installed with a server: what its types need is optional', () => {
  const manifests = globSync('servers/*/package.json', { cwd: root }).map(
    (file) => JSON.parse(readFileSync(join(root, file), 'utf8')) as Manifest,
  );
  expect(manifests.length).toBeGreaterThanOrEqual(3);
  expect(
    manifests
      .flatMap(({ dependencies = {} }) => Object.keys(dependencies))
      .filter((name) => name.startsWith('@signalbox/')),
  ).toEqual([]);
  for (const { peerDependencies = {}, peerDependenciesMeta = {} } of manifests) {
    expect(
      Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true),
    ).toEqual([]);
  }
});

test('every package of Signalbox has a license file, keywords and public access, and is built before it is packed', () => {
  const published = globSync('{apps,libs,servers}/*/package.json', { cwd: root })
    .map((file) => ({
      folder: dirname(join(root, file)),
      manifest: JSON.parse(readFileSync(join(root, file), 'utf8')) as Manifest,
    }))
    .filter(({ manifest }) => manifest.private !== true);
  expect(published.length).toBeGreaterThanOrEqual(6);
  for (const { folder, manifest } of published) {
    expect(existsSync(join(folder, 'LICENSE')), folder).toBe(true);
    expect(manifest.keywords, folder).toContain('model-context-protocol');
    expect(manifest, folder).toMatchObject({
      license: 'MIT',
      publishConfig: { access: 'public' },
      scripts: { prepack: 'nx build' },
    });
  }
});

describe('a build', () => {
  const bundle = (licence: 'file' | 'readme' | 'none'): string => {
    const folder = mkdtempSync(join(tmpdir(), 'bundled-'));
    const library = join(folder, 'node_modules/lib');
    for (const path of [library, join(folder, 'dist')]) mkdirSync(path, { recursive: true });
    writeFileSync(
      join(library, 'package.json'),
      JSON.stringify({ name: 'lib', version: '1.0.0', license: 'ISC', main: 'index.js' }),
    );
    writeFileSync(join(library, 'index.js'), 'export const time = () => Date.now();');
    if (licence === 'file') writeFileSync(join(library, 'LICENCE.md'), 'Use it.');
    const readme = '# lib\n\n## Use\n\n...\n\n## License\n\nISC';
    const text = licence === 'readme' ? '\n\nPermission is hereby granted.\n' : '';
    writeFileSync(join(library, 'README.md'), `${readme}${text}`);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'program' }));
    writeFileSync(
      join(folder, 'dist/main.js'),
      "import { time } from 'lib';\nprocess.stdout.write(String(time()));",
    );
    execFileSync(process.execPath, [join(root, 'tools/bundle.mjs'), 'main'], {
      cwd: folder,
      stdio: 'pipe',
    });
    return readFileSync(join(folder, 'bundle/THIRD-PARTY-NOTICES.txt'), 'utf8');
  };

  test('writes the licences of what it bundles', () => {
    expect(bundle('file')).toContain('lib 1.0.0 (ISC)\n\nUse it.');
  });

  test('takes a licence from the end of a readme', () => {
    expect(bundle('readme')).toContain('lib 1.0.0 (ISC)\n\nISC\n\nPermission is hereby granted.');
  });

  test('fails when a bundled package has no licence text', () => {
    expect(() => bundle('none')).toThrow(
      'lib 1.0.0 is in the bundle, but its folder has no licence file',
    );
  });
});
