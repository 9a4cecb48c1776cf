import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { layOutPacked, packPackages, type Tarball } from './testing/install-packed.ts';

const root = join(import.meta.dirname, '../../..');
const modules = join(root, 'node_modules');
const FOLDERS = [
  'libs/agent-client',
  'libs/file-sandbox',
  'libs/mcp-core',
  'libs/server-kit',
  'servers/filesystem',
  'servers/sqlite',
  'servers/weather',
  'apps/agent',
];

let packed: readonly Tarball[];
beforeAll(async () => {
  packed = await packPackages(FOLDERS.map((folder) => join(root, folder)));
});

/** Every third-party package of the workspace. */
const installed = (): readonly string[] =>
  readdirSync(modules).filter((name) => !name.startsWith('.') && name !== '@signalbox');

describe('agent, with its servers', () => {
  let home: string;
  beforeAll(async () => {
    const libraries = ['client', 'file-sandbox', 'mcp-core', 'server-kit'].map(
      (name) => `@signalbox/${name}`,
    );
    home = await layOutPacked(
      packed.filter(({ name }) => !libraries.includes(name)),
      { folder: modules, names: installed() },
    );
  });

  const program = (): string => join(home, 'node_modules/@signalbox/agent/bin.js');
  const env = (): NodeJS.ProcessEnv => ({
    PATH: process.env['PATH'],
    HOME: home,
    SIGNALBOX_DATA_DIR: join(home, 'data'),
  });

  /** Starts the packed service and returns its address and its output. */
  async function serve(
    ...args: readonly string[]
  ): Promise<{ readonly url: string; readonly output: string }> {
    const child = spawn(process.execPath, [program(), 'serve', '--port', '0', ...args], {
      cwd: home,
      env: env(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = new Promise((resolve) => child.once('close', resolve));
    onTestFinished(async () => {
      child.kill('SIGTERM');
      await ended;
    });
    return new Promise((resolve, reject) => {
      let output = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          output += text;
          const url = /ready on (http:\S+)/.exec(output)?.[1];
          if (url !== undefined && output.includes('Ctrl-C stops')) resolve({ url, output });
        });
      }
      void ended.then(() => reject(new Error(output)));
    });
  }

  interface Server {
    readonly name: string;
    readonly state: string;
  }

  async function servers(url: string): Promise<readonly Server[]> {
    const { data } = (await (await fetch(`${url}/v1/servers`)).json()) as {
      readonly data: readonly Server[];
    };
    return data.map(({ name, state }) => ({ name, state }));
  }

  test('the packed agent starts its demo outside of the repository, with the packed servers over the working directory', async () => {
    const { url, output } = await serve('--demo');
    expect(output).toContain(`files    ${home}\n`);
    await expect
      .poll(() => servers(url), { timeout: 30_000 })
      .toEqual(['filesystem', 'sqlite', 'weather'].map((name) => ({ name, state: 'ready' })));
  });

  test('the packed agent answers the demos that need no repository, and says which one it leaves out', async () => {
    const { code, stdout, stderr } = await new Promise<{
      code: number;
      stdout: string;
      stderr: string;
    }>((resolve) => {
      execFile(
        process.execPath,
        [program(), 'demo'],
        { cwd: home, env: env() },
        (error, stdout_, stderr_) =>
          resolve({ code: Number(error?.code ?? 0), stdout: stdout_, stderr: stderr_ }),
      );
    });
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('demo: 4 of 4 demos are correct');
    expect(stderr).toContain(
      `the demo of the workspace is left out: ${home} is not the repository`,
    );
  });

  const agentFolder = (): string => join(home, 'node_modules/@signalbox/agent');

  test('it has its licences, the JSON Schema of its configuration and the OpenAPI document, and no sources, tests or maps', () => {
    const folder = agentFolder();
    expect(readdirSync(folder)).toEqual(
      expect.arrayContaining([
        'LICENSE',
        'README.md',
        'bin.js',
        'bundle',
        'openapi.json',
        'signalbox.schema.json',
      ]),
    );
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    expect(files).toEqual(
      expect.arrayContaining(
        [
          'bundle/main.js',
          'bundle/index.js',
          'bundle/THIRD-PARTY-NOTICES.txt',
          'bundle/index.d.ts',
          'bundle/console/index.html',
          'bundle/console/THIRD-PARTY-NOTICES.txt',
        ].map((file) => join(file)),
      ),
    );
    expect(
      files.filter((file) =>
        /^src\b|\.test\.|\.map$|(?:^|[/\\])testing(?:[/\\]|\.|$)|\.tsbuildinfo$/.test(file),
      ),
    ).toEqual([]);
    expect(readFileSync(join(folder, 'bundle/THIRD-PARTY-NOTICES.txt'), 'utf8')).toContain(
      '\nfastify 5.12.8 (MIT)\n\n',
    );
    expect(readFileSync(join(folder, 'bundle/console/THIRD-PARTY-NOTICES.txt'), 'utf8')).toContain(
      '\nreact-dom 19.3.1 (MIT)\n\n',
    );
  });

  test('it names every package that its programs import, and its servers as optional ones', () => {
    const { dependencies, optionalDependencies } = JSON.parse(
      readFileSync(join(agentFolder(), 'package.json'), 'utf8'),
    ) as { readonly dependencies: object; readonly optionalDependencies: object };
    expect(Object.keys(optionalDependencies)).toEqual([
      '@signalbox/server-filesystem',
      '@signalbox/server-sqlite',
      '@signalbox/server-weather',
    ]);
    const imported = globSync('bundle/*.js', { cwd: agentFolder() })
      .map((file) => readFileSync(join(agentFolder(), file), 'utf8').replaceAll('\\\n', ''))
      .flatMap((text) => [
        ...text.matchAll(/(?:^|;)(?:import|export)\b[^'";]*\bfrom\s*['"]([^'"]+)['"]/gm),
        ...text.matchAll(/(?:\b__require\)?|__toESM\(require)\(['"]([^'"]+)['"]\)/g),
        ...text.matchAll(/\bimport\(['"]([^'"]+)['"]\)/g),
      ])
      .map(([, specifier = '']) => specifier)
      .filter((specifier) => !specifier.startsWith('.') && !isBuiltin(specifier))
      .map((specifier) => packageOf(specifier));
    expect([...new Set(imported)].toSorted()).toEqual(Object.keys(dependencies));
  });
});

describe('mcp-core', () => {
  /** A server whose structured content fits its output schema with the argument `aa`, and not with `ab`. */
  const SERVER = `
import { createInterface } from 'node:readline';

const outputSchema = { type: 'object', properties: { name: { type: 'string', pattern: '^a+$' } } };
const results = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'raw', version: '0' } }),
  'tools/list': () => ({ tools: [{ name: 'echo', inputSchema: { type: 'object' }, outputSchema }] }),
  'tools/call': ({ arguments: structuredContent }) => ({ content: [], structuredContent }),
};
for await (const line of createInterface(process.stdin)) {
  const { id, method, params } = JSON.parse(line);
  const result = results[method]?.(params);
  if (id !== undefined && result !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
}
`;

  const HOST = `
import { connectClient } from '@signalbox/mcp-core/client';
import { spawnStdio } from '@signalbox/mcp-core/stdio';

const problems = [];
const client = await connectClient(() => spawnStdio({ command: process.execPath, args: ['server.js'] }), {
  info: { name: 'host', version: '0' },
  era: 'legacy',
  events: { onProblem: ({ message }) => problems.push(message) },
});
await client.listTools();
const outcomes = [];
for (const name of ['aa', 'ab']) outcomes.push(await client.callTool('echo', { name }).then(() => 'fits', ({ code }) => code));
console.log(JSON.stringify({ outcomes, problems }));
await client.close();
`;

  let home: string;
  beforeAll(async () => {
    home = await layOutPacked(
      packed.filter(({ name }) => name === '@signalbox/mcp-core'),
      { folder: modules, names: ['ajv', 'ajv-formats'] },
    );
    writeFileSync(join(home, 'server.js'), SERVER);
    writeFileSync(join(home, 'host.js'), HOST);
  });

  test('an HTTP server loads three files of at most 260 KB together, without tasks and modules of Node', () => {
    const folder = join(home, 'node_modules/@signalbox/mcp-core/bundle');
    const files = new Map<string, string>();
    const waiting = ['server/index.js', 'http/server/index.js'];
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      const text = readFileSync(join(folder, file), 'utf8');
      files.set(file, text);
      for (const [, path = ''] of text.matchAll(
        /^(?:import|export)\b[^'"\n]*["'](\.[^"']+)["']/gm,
      )) {
        const imported = join(dirname(file), path);
        if (!files.has(imported)) waiting.push(imported);
      }
    }
    const texts = [...files.values()];
    expect(files.size).toBe(3);
    expect(texts.join('').length).toBeLessThan(260 * 1024);
    expect(texts.filter((text) => text.includes('class TaskEngine'))).toEqual([]);
    expect(texts.flatMap((text) => text.match(/^import .*"node:.*/gm) ?? [])).toEqual([]);
  });

  test('the packed client checks structured content against a pattern, in its thread, and ends', () => {
    const output = execFileSync(process.execPath, ['host.js'], {
      cwd: home,
      encoding: 'utf8',
      timeout: 150_000,
    });
    expect(JSON.parse(output)).toEqual({ outcomes: ['fits', 'invalid-response'], problems: [] });
  });
});

interface Manifest {
  readonly name: string;
  readonly exports: { readonly [entry: string]: string | { readonly types?: string } };
  readonly dependencies?: object;
  readonly peerDependencies?: object;
}

describe('a project outside the workspace, with every package and the dependencies that they declare', () => {
  let home: string;
  let manifests: readonly Manifest[];
  beforeAll(async () => {
    manifests = FOLDERS.map(
      (folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest,
    );
    const declared = manifests.flatMap((manifest) => declaredBy(manifest));
    home = await layOutPacked(packed, {
      folder: modules,
      names: [
        '@types/node',
        ...new Set(declared.filter((name) => !name.startsWith('@signalbox/'))),
      ],
    });
    const entries = manifests.flatMap(({ name, exports }) =>
      Object.entries(exports).flatMap(([entry, conditions]) =>
        typeof conditions === 'object' && conditions.types !== undefined
          ? [`${name}${entry.slice(1)}`]
          : [],
      ),
    );
    writeFileSync(
      join(home, 'entries.ts'),
      entries.map((entry, index) => `export * as entry${index} from '${entry}';`).join('\n'),
    );
    for (const { name } of manifests)
      for (const [index, text] of examplesOf(
        join(home, 'node_modules', name, 'README.md'),
      ).entries())
        writeFileSync(join(home, `${name.replace('@signalbox/', '')}-readme-${index}.ts`), text);
    const declarations = globSync('node_modules/@signalbox/*/{bundle,dist}/**/*.d.ts', {
      cwd: home,
    });
    const examples = declarations.flatMap((file) => docstringExamplesOf(join(home, file)));
    for (const [index, text] of examples.entries())
      writeFileSync(join(home, `docstring-${index}.ts`), text);
    // Types that the compiler does not find would be `any`, and this error would be missing.
    writeFileSync(
      join(home, 'control.ts'),
      `import { createServer } from '@signalbox/mcp-core/server';\n// @ts-expect-error\ncreateServer({ info: 7 });\n`,
    );
  });

  test.each([
    { module: 'node16', moduleResolution: 'node16' },
    { module: 'esnext', moduleResolution: 'bundler' },
  ])(
    'compiles the entry points and the examples of READMEs and docstrings in strict mode, with $moduleResolution',
    (options) => {
      const compilerOptions = {
        ...options,
        target: 'es2024',
        lib: ['es2024'],
        types: ['node'],
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        skipLibCheck: false,
        noEmit: true,
      };
      writeFileSync(
        join(home, 'tsconfig.json'),
        JSON.stringify({ compilerOptions, include: ['*.ts'] }),
      );
      const entries = readFileSync(join(home, 'entries.ts'), 'utf8');
      for (const entry of ['mcp-core/http/server', 'server-kit', 'server-sqlite', 'agent'])
        expect(entries).toContain(`'@signalbox/${entry}'`);
      expect(globSync('docstring-*.ts', { cwd: home }).length).toBeGreaterThan(3);
      const { stdout, status } = spawnSync(
        process.execPath,
        [join(modules, 'typescript/bin/tsc'), '-p', home],
        { encoding: 'utf8', timeout: 150_000 },
      );
      expect(stdout).toBe('');
      expect(status).toBe(0);
    },
  );

  test('compiles a page for browsers on the client, in strict mode and without the types of Node', () => {
    const page = join(home, 'page');
    mkdirSync(page);
    writeFileSync(
      join(page, 'page.ts'),
      `import { createClient } from '@signalbox/client';
const { runs } = createClient({ baseUrl: location.origin });
for await (const frame of runs.follow({ prompt: 'Hello' }, { signal: AbortSignal.timeout(1000) }))
  if (frame.type === 'message.delta') document.body.append(frame.text);
// @ts-expect-error
process.exit();
`,
    );
    const compilerOptions = {
      module: 'esnext',
      moduleResolution: 'bundler',
      target: 'es2024',
      lib: ['es2024', 'dom'],
      types: [],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
      noEmit: true,
    };
    writeFileSync(join(page, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    const { stdout, status } = spawnSync(
      process.execPath,
      [join(modules, 'typescript/bin/tsc'), '-p', page],
      { encoding: 'utf8', timeout: 150_000 },
    );
    expect(stdout).toBe('');
    expect(status).toBe(0);
  });

  test('the declarations of a package import only files of the package and declared dependencies', () => {
    const problems = manifests.flatMap((manifest) => {
      const folder = join(home, 'node_modules', manifest.name);
      const declared = declaredBy(manifest);
      const files = globSync('**/*.d.ts', { cwd: folder });
      expect(files, manifest.name).not.toEqual([]);
      return files.flatMap((file) =>
        importsOf(readFileSync(join(folder, file), 'utf8'))
          .filter((specifier) =>
            specifier.startsWith('.')
              ? !existsSync(join(folder, dirname(file), specifier.replace(/\.[jt]s$/, '.d.ts')))
              : !isBuiltin(specifier) && !declared.includes(packageOf(specifier)),
          )
          .map((specifier) => `${manifest.name}/${file}: ${specifier}`),
      );
    });
    expect(problems).toEqual([]);
  });

  test('no declaration refers to a source map or a condition of the workspace', () => {
    const files = globSync('node_modules/@signalbox/*/{bundle,dist}/**/*.d.ts', { cwd: home });
    expect(files.length).toBeGreaterThan(100);
    expect(
      files.filter((file) =>
        /sourceMappingURL|@signalbox\/source/.test(readFileSync(join(home, file), 'utf8')),
      ),
    ).toEqual([]);
  });
});

function declaredBy({ dependencies = {}, peerDependencies = {} }: Manifest): readonly string[] {
  return [...Object.keys(dependencies), ...Object.keys(peerDependencies)];
}

/** Returns the TypeScript blocks of a page. */
function examplesOf(page: string): readonly string[] {
  return [...readFileSync(page, 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)].map(
    ([, text = '']) => text,
  );
}

/** Returns the examples in the docstrings of a declaration file. */
function docstringExamplesOf(file: string): readonly string[] {
  const examples = readFileSync(file, 'utf8').matchAll(/@example\n \* ```ts\n(.*?) \* ```$/gms);
  return [...examples].map(([, text = '']) => text.replaceAll(/^ \* ?/gm, ''));
}

/** Returns the modules that a file imports, statically or as a type. */
function importsOf(text: string): readonly string[] {
  return [
    ...text.matchAll(/(?:^(?:import|export|\})[^'"\n]*\bfrom|\bimport\()\s*(['"])([^'"]+)\1/gm),
  ].map(([, , specifier = '']) => specifier);
}

/** Returns the package of `@scope/name/file` or `name/file`. */
function packageOf(specifier: string): string {
  return /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
}
