import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { connectClient } from '@signalbox/mcp-core/client';
import { spawnStdio } from '@signalbox/mcp-core/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCompose } from './deployment/settings.ts';
import { ApiClient } from './support/client.ts';
import { runToEnd, startCommand } from './support/command.ts';
import { engineVariables } from './support/engines.ts';
import {
  documentationFiles,
  documentationSnippets,
  repository,
  type Snippet,
} from './support/markdown.ts';
import { agentMain, startServiceProcess, temporaryFolder } from './support/service.ts';

/** Milliseconds after which a command is ended: it blocks this process, so that the time limit of the test cannot end it. */
const HANG_LIMIT_MS = 180_000;
const snippets = documentationSnippets();
const manifest = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
  readonly scripts: { readonly [name: string]: string };
};

interface Command {
  readonly line: string;
  readonly env: { readonly [name: string]: string };
}

/** The commands of all shell blocks, without comments; `NAME=value` in front of one is its environment. */
const commands = snippets
  .filter((snippet) => snippet.language === 'sh')
  .flatMap((snippet) => snippet.text.split('\n'))
  .map((line) => line.replace(/\s+#.*$/, '').trim())
  .filter((line) => line !== '');

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: ChildProcess;
/** Output of `npm start`. */
let started: string;
let port: string;

const environment = (more: { readonly [name: string]: string } = {}) => ({
  PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
  HOME: folder.path,
  SIGNALBOX_DATA_DIR: join(folder.path, 'data'),
  SIGNALBOX_PORT: '0',
  ...more,
});

/** Store and queue of the service that `npm start` starts. */
const enginesOfService = () => engineVariables(join(folder.path, 'data'), {});

/** Starts a command that goes on by itself, as a shell would; resolves with its first output that says it is ready. */
async function startProcess(
  line: string,
): Promise<{ readonly child: ChildProcess; readonly output: string }> {
  const child = spawn('bash', ['-c', `exec ${expand(line)}`], {
    cwd: repository,
    env: environment(enginesOfService()),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const output = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      if (isReady(text)) resolve(text);
    });
    child.once('exit', (code) => reject(new Error(`${line} ended with ${code}: ${text}`)));
  });
  return { child, output };
}

const isReady = (output: string): boolean => output.includes('Ctrl-C stops');

/** `npm start` and `npx NAME` without the npm in front: what its script runs, after everything was installed and built. Paths are in quotes. */
function expand(line: string): string {
  const bin = join(repository, 'node_modules/.bin');
  return line
    .replace(/^npm (?:run )?(start|demo)\b/, (_, name: string) =>
      (manifest.scripts[name] ?? '').replace(/^node(?: --import \S+)?/, `"${process.execPath}"`),
    )
    .replace(
      /^npx (?:-y )?(?:@([\w-]+)\/server-([\w-]+)|(\w[\w-]*))/,
      (_, scope: string | undefined, server: string | undefined, name: string | undefined) =>
        `"${join(bin, scope === undefined ? (name ?? '') : `${scope}-${server}`)}"`,
    );
}

/** The words of an expanded line, without the quotes around them. */
function words(line: string): readonly string[] {
  return [...expand(line).matchAll(/"([^"]*)"|'([^']*)'|\S+/g)].map(
    ([word, quoted, literal]) => quoted ?? literal ?? word,
  );
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await exited;
}

/** The arguments of a line that starts the program of the agent. */
function signalboxArgs(line: string): readonly string[] {
  const [program = '', ...args] = words(line);
  const [file = '', ...rest] = program === process.execPath ? args : [program, ...args];
  expect(realpathSync(file.startsWith('/') ? file : join(repository, file))).toBe(
    realpathSync(agentMain),
  );
  return rest;
}

/** The agent in this process: that its program starts is shown by `npm start`, `signalbox --version` and the transcript. */
const inProcess = (env: Command['env'] = {}) => ({
  folder: folder.path,
  cwd: repository,
  env: environment(env),
});

/** Output of a command that goes on by itself, which is stopped when it is ready. */
async function outputOf({ line, env }: Command): Promise<string> {
  const ready = Promise.withResolvers<string>();
  const command = startCommand(signalboxArgs(line), {
    ...inProcess(env),
    onOutput: (text) => {
      if (isReady(text)) ready.resolve(text);
    },
  });
  void command.ended.then(({ code, out, err }) =>
    ready.reject(new Error(`${line} ended with ${code}: ${out}${err}`)),
  );
  const output = await ready.promise;
  command.interrupt();
  await command.ended;
  return output;
}

beforeAll(async () => {
  folder = await temporaryFolder();
  ({ child: service, output: started } = await startProcess('npm start'));
  port = /127\.0\.0\.1:(\d+)/.exec(started)?.[1] ?? '';
});
afterAll(async () => {
  await stop(service);
  await folder.remove();
});

interface Result {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function runProcess(line: string): Result {
  const { status, stdout, stderr } = spawnSync(
    'bash',
    ['-c', expand(line).replaceAll('127.0.0.1:8020', `127.0.0.1:${port}`)],
    { cwd: repository, env: environment(), encoding: 'utf8', timeout: HANG_LIMIT_MS },
  );
  return { status, stdout, stderr };
}

async function runSignalbox(line: string): Promise<Result> {
  const { code, out, err } = await runToEnd(
    signalboxArgs(line),
    inProcess({ SIGNALBOX_URL: `http://127.0.0.1:${port}`, ...enginesOfService() }),
  );
  return { status: code, stdout: out, stderr: err };
}

type Proof =
  | 'run'
  | 'run, and its output compared with the README'
  /** `npm start` and `npm run demo`: their script, on the packages that are installed and built here. */
  | 'run without install and build'
  /** A package that is not published, and what `npx` or a host would start of it. */
  | 'started from the workspace'
  | 'run by the tests of tools/workspace'
  | 'run by the tests of its package'
  /** The script or program of the name is there. */
  | 'only looked up';

interface Check {
  readonly matches: RegExp;
  readonly proof: Proof;
  readonly check: (line: string) => Promise<void> | void;
}

/** The test that follows docs/extending.md in a copy of the repository. */
const followed = readFileSync(
  join(repository, 'tools/workspace/src/generated-server.test.ts'),
  'utf8',
);

/** How each kind of command is checked; a command that none of them knows fails the test. */
const checks: readonly Check[] = [
  {
    matches: /^curl .*-d '\{"prompt":"Which customers bought most\?"\}'$/,
    proof: 'run',
    check(line) {
      const { status, stdout } = runProcess(line);
      expect(status).toBe(0);
      if (line.includes('event-stream'))
        expect(stdout).toMatch(/event: run\.completed\n.*bought most/);
      else
        expect(JSON.parse(stdout)).toMatchObject({
          prompt: 'Which customers bought most?',
          status: expect.stringMatching(/queued|running/) as string,
        });
    },
  },
  {
    matches: /^curl .*"output_schema"/,
    proof: 'run',
    check(line) {
      const { status, stdout } = runProcess(line);
      expect(status).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        id: expect.any(String) as string,
        output_schema: { type: 'object' },
      });
    },
  },
  {
    matches: /^curl .*\/v1\/artifacts .*--data-binary/,
    proof: 'run',
    check(line) {
      const { status, stdout } = runProcess(line);
      expect(status).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ media_type: 'text/csv', bytes: 11 });
    },
  },
  {
    matches: /^npx signalbox replay RUN$/,
    proof: 'run',
    async check(line) {
      const api = new ApiClient(`http://127.0.0.1:${port}`);
      const { id } = await api.start('Which customers bought most?');
      await api.settled(id);
      const { status, stdout } = await runSignalbox(line.replace('RUN', id));
      expect(stdout).toBe(`run ${id} (completed, 4 turns, 3 tool calls) has the same decisions\n`);
      expect(status).toBe(0);
    },
  },
  {
    matches: /^curl -s '?http:\/\/127\.0\.0\.1:8020\/v1\/inbox/,
    proof: 'run',
    check(line) {
      const { status, stdout } = runProcess(line);
      expect(status).toBe(0);
      // Nothing waits here: the list is empty, and the answer names an item that does not exist.
      expect(JSON.parse(stdout)).toMatchObject(
        line.includes('/ID/') ? { status: 404 } : { data: [] },
      );
    },
  },
  {
    matches: /^curl -s 'http:\/\/127\.0\.0\.1:8020\/v1\/runs\?q=/,
    proof: 'run',
    async check(line) {
      const api = new ApiClient(`http://127.0.0.1:${port}`);
      const { id } = await api.start('Which customers bought most?');
      await api.settled(id);
      const { status, stdout } = runProcess(line);
      expect(status).toBe(0);
      const { data } = JSON.parse(stdout) as { data: readonly { id: string }[] };
      expect(data.map((run) => run.id)).toContain(id);
    },
  },
  {
    matches: /^curl -s -X PUT http:\/\/127\.0\.0\.1:8020\/v1\/servers\//,
    proof: 'run',
    async check(line) {
      const own = await temporaryFolder();
      const editable = await startServiceProcess({
        folder: own.path,
        config: { edit_servers: 'remote', llm: { provider: 'scripted' } },
      });
      const { status, stdout } = runProcess(
        line.replace('127.0.0.1:8020', new URL(editable.url).host),
      );
      await editable.stop();
      await own.remove();
      expect(status).toBe(0);
      const [, definition = ''] = /-d '(.*)'$/.exec(line) ?? [];
      expect(JSON.parse(stdout)).toEqual(JSON.parse(definition));
    },
  },
  {
    matches: /^npx signalbox inbox/,
    proof: 'run',
    async check(line) {
      const { status, stdout } = await runSignalbox(line);
      // Nothing waits here, and there is no item ID.
      expect({ status, stdout }).toEqual({ status: line.includes(' ID') ? 1 : 0, stdout: '' });
    },
  },
  {
    matches: /^curl -s http:\/\/127\.0\.0\.1:8020\/(?:v1\/threads|v1\/tools\/|v1\/stats|metrics)/,
    proof: 'run',
    check(line) {
      const { status, stdout } = runProcess(line);
      expect(status).toBe(0);
      if (line.includes('/metrics'))
        expect(stdout).toMatch(/^signalbox_servers\{server="sqlite",state="ready"\} 1$/m);
      else if (line.includes('/stats'))
        expect(JSON.parse(stdout)).toMatchObject({
          interval: 3600,
          total: { turns: expect.any(Number) as number },
        });
      else if (line.includes('/call'))
        expect(JSON.parse(stdout)).toMatchObject({
          kind: 'call',
          status: 'completed',
          call: { state: 'succeeded' },
        });
      else
        expect(JSON.parse(stdout)).toMatchObject({
          id: expect.any(String) as string,
          title: 'Orders',
        });
    },
  },
  {
    matches: /^npx signalbox run --demo "Which customers bought most\?"$/,
    proof: 'run, and its output compared with the README',
    check(line) {
      const [program = '', ...args] = words(line);
      const transcript = join(repository, 'tools/transcript.mjs');
      // The script runs the command without npx.
      expect(realpathSync(program)).toBe(join(repository, 'apps/agent/bin.js'));
      expect(args).toEqual(['run', '--demo', 'Which customers bought most?']);
      expect(readFileSync(transcript, 'utf8')).toContain(`const TASK = '${args[2]}';`);
      const { stderr, status } = spawnSync(process.execPath, [transcript, '--check', 'run'], {
        encoding: 'utf8',
        timeout: HANG_LIMIT_MS,
      });
      expect(stderr).toBe('');
      expect(status).toBe(0);
    },
  },
  {
    matches: /^npm run demo$/,
    proof: 'run, and its output compared with the README',
    async check(line) {
      const before = workTree();
      let written = '';
      const { code } = await runToEnd(signalboxArgs(line), {
        ...inProcess(),
        onWrite: (text) => (written += text),
      });
      expect(code, written).toBe(0);
      expect(written).toContain('5 of 5 demos are correct');
      expect(workTree()).toBe(before);
      const output = join(folder.path, 'demo.txt');
      writeFileSync(output, written);
      const { stderr } = spawnSync(
        process.execPath,
        [join(repository, 'tools/transcript.mjs'), '--check', 'demo', output],
        { encoding: 'utf8', timeout: HANG_LIMIT_MS },
      );
      expect(stderr).toBe('');
    },
  },
  {
    matches: /^(?:[A-Z_]+=\S+ )*npm start$|^npx signalbox serve --demo$/,
    proof: 'run without install and build',
    async check(line) {
      const env: Record<string, string> = {
        SIGNALBOX_DATA_DIR: join(folder.path, `data-${commands.indexOf(line)}`),
      };
      const command = line.replace(/^((?:[A-Z_]+=\S+ )*)/, (given) => {
        for (const [, name, value] of given.matchAll(/([A-Z_]+)=(\S+)/g))
          env[name!] = value!.replace('…', '-not-a-key');
        return '';
      });
      const output = line === 'npm start' ? started : await outputOf({ line: command, env });
      expect(output).toMatch(/servers {2}filesystem, sqlite, weather/);
      if (env['ANTHROPIC_API_KEY'] !== undefined) expect(output).toMatch(/model {4}anthropic \S+/);
      else if (env['OPENAI_API_KEY'] !== undefined) expect(output).toMatch(/model {4}openai \S+/);
      else expect(output).toMatch(/model {4}none/);
    },
  },
  {
    matches: /^npx signalbox tools approve SERVER/,
    proof: 'run',
    async check(line) {
      // No tool of the demo servers is quarantined.
      expect(await runSignalbox(line.replace('SERVER', 'sqlite'))).toMatchObject({
        status: 0,
        stdout: '',
      });
    },
  },
  {
    matches: /^npx signalbox servers log(?:in|out) SERVER/,
    proof: 'run',
    async check(line) {
      // The demo servers need no login.
      expect(await runSignalbox(line.replace('SERVER', 'sqlite'))).toMatchObject({
        status: 1,
        stdout: '',
        stderr: expect.stringContaining('nobody can log in to the server sqlite') as string,
      });
    },
  },
  {
    matches: /^npx signalbox (?:servers$|runs$|call )/,
    proof: 'run',
    async check(line) {
      const { status, stdout } = await runSignalbox(line);
      expect(status).toBe(0);
      if (line.includes('call')) expect(stdout).toContain('customers');
      else if (line.includes('servers')) expect(stdout).toMatch(/^sqlite +ready +\d+ tools/m);
    },
  },
  {
    matches: /^npx signalbox (?:run --help|--version)$/,
    proof: 'run',
    async check(line) {
      const isVersion = line.endsWith('version');
      const { status, stdout } = isVersion ? runProcess(line) : await runSignalbox(line);
      expect(status).toBe(0);
      expect(stdout).toMatch(isVersion ? /^\d+\.\d+\.\d+\n$/ : /^signalbox run TASK: /);
    },
  },
  {
    matches:
      /^(?:npm start --|npx signalbox serve) (?:~\/projects|--port 8030 --config signalbox\.json)$/,
    proof: 'run without install and build',
    async check(line) {
      writeExample();
      const here = line
        .replace('~/projects', `"${folder.path}"`)
        .replace('8030', '0')
        .replace('signalbox.json', `"${join(folder.path, 'signalbox.json')}"`)
        .replace(' -- ', ' ');
      const output = await outputOf({
        line: here,
        env: { SIGNALBOX_DATA_DIR: join(folder.path, 'own') },
      });
      expect(output).toMatch(
        line.startsWith('npx')
          ? /servers {2}filesystem\n/
          : line.includes('--config')
            ? /servers {2}notes, shop, filesystem, sqlite, weather/
            : /servers {2}filesystem, sqlite, weather/,
      );
      if (line.startsWith('npm start -- ~')) expect(output).toContain(`files    ${folder.path}\n`);
    },
  },
  {
    matches: /^npx signalbox serve --role (?:api|worker) --config signalbox\.json/,
    proof: 'run',
    async check(line) {
      writeExample();
      const output = await outputOf({
        line: line
          .replace('8021', '0')
          .replace('signalbox.json', `"${join(folder.path, 'signalbox.json')}"`),
        env: { SIGNALBOX_PORT: '0', SIGNALBOX_DATA_DIR: join(folder.path, 'shared') },
      });
      if (line.includes('api')) expect(output).toMatch(/ready on http:/);
      else expect(output).toMatch(/^signalbox worker is ready$/m);
      expect(output.includes('probes')).toBe(line.includes('--port'));
    },
  },
  {
    matches: /^npx signalbox run --demo --scenario scenario\.json /,
    proof: 'run',
    async check(line) {
      const file = join(folder.path, 'scenario.json');
      writeFileSync(file, snippets.find(isScenario)?.text ?? '');
      const { status, stdout } = await runSignalbox(line.replace('scenario.json', `"${file}"`));
      expect(status).toBe(0);
      expect(readFileSync(join(repository, 'docs/scenarios.md'), 'utf8')).toContain(
        `\`${stdout.trim()}\``,
      );
    },
  },
  {
    matches: /^npx signalbox (?:serve|run) --config signalbox\.json/,
    proof: 'run',
    async check(line) {
      writeExample();
      const here = line.replace('signalbox.json', `"${join(folder.path, 'signalbox.json')}"`);
      if (line.includes(' run ')) {
        // Without a model nothing but the demos is answered.
        const { status, stdout } = await runSignalbox(here);
        expect(status).toBe(3);
        expect(stdout).toContain('OPENAI_API_KEY');
      } else {
        const output = await outputOf({
          line: here,
          env: { SIGNALBOX_DATA_DIR: join(folder.path, 'configured') },
        });
        expect(output).toMatch(/servers {2}notes, shop/);
      }
    },
  },
  {
    matches: /^(?:claude mcp add [\w-]+ -- )?npx (?:-y )?@[\w-]+\/server-[\w-]+|^signalbox-\w+ /,
    proof: 'started from the workspace',
    async check(line) {
      const [command = '', ...args] = words(
        line.replace(/^claude .*? -- /, '').replace(/^signalbox-/, 'npx signalbox-'),
      ).map((word) => localPath(word));
      await expectTools({ command, args });
    },
  },
  {
    matches: /^claude mcp add [\w-]+ -- node \/path\/to\/signalbox\//,
    proof: 'run',
    async check(line) {
      const [, ...args] = words(line.replace(/^claude .*? -- /, '')).map((word) => localPath(word));
      await expectTools({ command: process.execPath, args });
    },
  },
  {
    matches: /^node servers\/weather\/bin\.js --demo --http 8030(?: --auth-|$)/,
    proof: 'run',
    async check(line) {
      const [, file = '', ...args] = words(line.replace('8030', '0'));
      const child = spawn(process.execPath, [join(repository, file), ...args], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      const output = await new Promise<string>((resolve) => {
        child.stderr.setEncoding('utf8').once('data', resolve);
      });
      await stop(child);
      expect(output).toMatch(/http:\/\/127\.0\.0\.1:\d+\/mcp/);
    },
  },
  {
    matches: /^node servers\/\w+\/bin\.js(?: [^-]\S*| --demo)?$/,
    proof: 'run',
    async check(line) {
      const [, file = '', ...args] = words(line).map((word) => localPath(word));
      await expectTools({ command: process.execPath, args: [join(repository, file), ...args] });
    },
  },
  {
    // Needs the registry of npm.
    matches: /^npm install --save-dev --save-exact \w+ -w @acme\/server-trip-notes$/,
    proof: 'only looked up',
    check() {
      expect(followed).not.toContain("follow('npm install");
    },
  },
  {
    matches:
      /[ /](?:@acme\/server|acme(?:-server)?)-trip-notes\b|^npx nx g @signalbox\/workspace:server /,
    proof: 'run by the tests of tools/workspace',
    check(line) {
      const source = followed.replaceAll(/\(\s+/g, '(');
      // Some commands are run without npx, after a look that the page has them.
      const proofs = [`follow('${line}'`, `expect(commands).toContain('${line}')`];
      expect(proofs.filter((part) => source.includes(part))).not.toEqual([]);
      expect(
        snippets
          .filter((snippet) => snippet.language === 'sh' && snippet.text.includes(line))
          .map((snippet) => snippet.file),
      ).toEqual(['docs/extending.md']);
    },
  },
  {
    matches: /^npm start -w @signalbox\/example-/,
    proof: 'run by the tests of its package',
    check(line) {
      const example = join(repository, 'examples', line.split('example-')[1] ?? '');
      const { scripts } = JSON.parse(readFileSync(join(example, 'package.json'), 'utf8')) as {
        readonly scripts: { readonly start: string };
      };
      expect(scripts.start).toBe('node src/main.ts');
      const tests = globSync('src/*.test.ts', { cwd: example });
      expect(
        tests.some((file) =>
          readFileSync(join(example, file), 'utf8').includes('npm start prints'),
        ),
      ).toBe(true);
    },
  },
  {
    // Need Docker or Kubernetes. check-image starts what they would start.
    matches: /^(?:docker|kubectl) /,
    proof: 'only looked up',
    check(line) {
      const files = [...line.matchAll(/(?<=[ =])deploy\/\S+/g)].map(([file]) => file);
      // The reader writes this file.
      for (const file of files.filter((each) => each !== 'deploy/signalbox.env'))
        expect(existsSync(join(repository, file)), file).toBe(true);
      const [, profile, named] =
        /--profile (\w+) (?:up|logs|exec (\w+)|down|cp)\b/.exec(line) ?? [];
      const { services } = readCompose(join(repository, 'deploy/compose.yaml'));
      const ofProfile = Object.keys(services).filter((name) =>
        services[name]?.profiles?.includes(profile ?? ''),
      );
      expect(ofProfile.length > 0).toBe(line.startsWith('docker compose'));
      if (named !== undefined) expect(ofProfile).toContain(named);
    },
  },
  {
    matches:
      /^npm (?:test|run (?:dev|format|lint|bench|conformance|inspector|refresh-race))|^npx nx sync$/,
    proof: 'only looked up',
    check(line) {
      const script = /^npm (?:run )?([\w-]+)/.exec(line)?.[1];
      if (script !== undefined) expect(manifest.scripts).toHaveProperty(script);
      else expect(existsSync(join(repository, 'node_modules/.bin/nx'))).toBe(true);
    },
  },
];

/** Output of git about the repository. */
function workTree(): string {
  return spawnSync('git', ['status', '--porcelain'], { cwd: repository, encoding: 'utf8' }).stdout;
}

/** Writes the example of the README, pointed at files that are there, into a folder outside of the repository. */
function writeExample(): void {
  const example = snippets.find(
    (snippet) => snippet.file === 'README.md' && snippet.language === 'json',
  );
  writeFileSync(join(folder.path, 'signalbox.json'), localised(example?.text ?? ''));
}

/** Paths that stand for the reader's own become ones that are there. */
function localPath(word: string): string {
  if (word.startsWith('/path/to/signalbox/'))
    return join(repository, word.slice('/path/to/signalbox/'.length));
  if (word.endsWith('.db')) return join(folder.path, 'data/demo/shop.db');
  return word.startsWith('~/') || /^\/(home|path)\//.test(word) ? folder.path : word;
}

function localised(json: string): string {
  // Most hosts say mcpServers, VS Code servers, Zed context_servers.
  const [mcpServers = {}] = Object.values(
    JSON.parse(json) as {
      readonly [key: string]: {
        readonly [name: string]: { readonly command: string; readonly args?: readonly string[] };
      };
    },
  );
  const servers = Object.entries(mcpServers).map(([name, entry]) => {
    const [command = '', ...args] = words([entry.command, ...(entry.args ?? [])].join(' '));
    return [
      name,
      {
        ...entry,
        command: command.startsWith('signalbox-')
          ? join(repository, 'node_modules/.bin', command)
          : command,
        args: args.map((arg) => localPath(arg.replace(/^servers\//, `${repository}servers/`))),
      },
    ];
  });
  return JSON.stringify({ mcpServers: Object.fromEntries(servers) as object });
}

interface StdioServer {
  readonly command: string;
  readonly args: readonly string[];
}

/** Numbers of tools by command line: several blocks start the same server. */
const toolCounts = new Map<string, Promise<number>>();

async function expectTools({ command, args }: StdioServer): Promise<void> {
  const line = JSON.stringify([command, ...args]);
  const count = toolCounts.get(line) ?? countTools({ command, args });
  toolCounts.set(line, count);
  expect(await count).toBeGreaterThan(0);
}

async function countTools(server: StdioServer): Promise<number> {
  // A bin of the workspace is started by its `#!` line, which must find this Node.
  const client = await connectClient(
    () => spawnStdio({ ...server, env: { PATH: environment().PATH } }),
    { info: { name: 'documentation', version: '1.0.0' } },
  );
  try {
    return (await client.listTools()).length;
  } finally {
    await client.close();
  }
}

describe('a command of the documentation is', () => {
  const rows = [...new Set(commands)].map((line) => {
    const known = checks.find(({ matches }) => matches.test(line));
    return { line, known, proof: known?.proof ?? 'unknown' };
  });

  test('in a block of more than ten lines', () => {
    expect(rows.length).toBeGreaterThan(10);
  });

  test.each(rows)('$proof: $line', async ({ line, known }) => {
    expect(known, `no check knows this command: ${line}`).toBeDefined();
    await known?.check(line);
  });
});

describe('every host configuration of the documentation', () => {
  test.each(
    snippets
      .filter((snippet) => snippet.language === 'json' && !isServiceSetting(snippet))
      .filter((snippet) => !isScenario(snippet))
      .map((snippet) => [`${snippet.file}:${snippet.line}`, snippet.text]),
  )('%s', async (_place, text) => {
    const { mcpServers } = JSON.parse(localised(text)) as {
      readonly mcpServers: {
        readonly [name: string]: { readonly command: string; readonly args: readonly string[] };
      };
    };
    expect(Object.keys(mcpServers)).not.toEqual([]);
    for (const server of Object.values(mcpServers)) await expectTools(server);
  });
});

function isScenario({ language, text }: Pick<Snippet, 'language' | 'text'>): boolean {
  return language === 'json' && text.includes('"scenarios": [');
}

function isServiceSetting({ text }: { readonly text: string }): boolean {
  return (
    /^\s*\{\s*"(?:llm|allowed_origins|public_url)"/.test(text) || text.includes('"url": "https://')
  );
}

test.each(
  snippets
    .filter((snippet) => snippet.language === 'json' && isServiceSetting(snippet))
    .map((snippet) => [`${snippet.file}:${snippet.line}`, snippet.text]),
)('%s is a configuration', async (place, text) => {
  const { parseConfigFile } = (await import(
    new URL('dist/config/config-file.js', import.meta.resolve('@signalbox/agent/package.json')).href
  )) as {
    readonly parseConfigFile: (
      text: string,
      path: string,
    ) => { readonly notices: readonly string[] };
  };
  expect(parseConfigFile(text, place).notices).toEqual([]);
});

test('every TypeScript example of the documentation compiles', () => {
  const examples = snippets.filter((snippet) => snippet.language === 'ts');
  expect(examples.length).toBeGreaterThan(0);
  // Inside the repository, so that its packages are found.
  const place = join(import.meta.dirname, '..', '.results', 'examples');
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  for (const { file, line, text } of examples)
    writeFileSync(join(place, `${file.replaceAll(/[/.]/g, '-')}-${line}.ts`), text);
  const { references } = JSON.parse(
    readFileSync(join(repository, 'tsconfig.tests.json'), 'utf8'),
  ) as { readonly references: readonly { readonly path: string }[] };
  const config = {
    extends: '../../tsconfig.json',
    compilerOptions: { rootDir: '../../../..' },
    include: ['*.ts'],
    // The declarations that the build made in place of the sources.
    references: references.map(({ path }) => ({ path: join(repository, path) })),
  };
  writeFileSync(join(place, 'tsconfig.json'), JSON.stringify(config));
  const { stdout, status } = spawnSync(
    process.execPath,
    [join(repository, 'node_modules/typescript/bin/tsc'), '-p', place, '--noEmit'],
    { encoding: 'utf8', timeout: HANG_LIMIT_MS },
  );
  expect(stdout).toBe('');
  expect(status).toBe(0);
});

test('every local link of the documentation leads to a file', () => {
  const broken = documentationFiles().flatMap((file) => {
    const links = [
      ...readFileSync(join(repository, file), 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g),
    ].map((match) => match[1] ?? '');
    return links
      .filter((link) => !existsSync(join(repository, dirname(file), link)))
      .map((link) => `${file}: ${link}`);
  });
  expect(broken).toEqual([]);
});
