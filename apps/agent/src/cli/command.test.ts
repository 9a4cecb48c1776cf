import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from './command.ts';
import { COMMANDS } from './commands.ts';
import { testIo, type TestIoOptions } from './testing/test-io.ts';

// The service is loaded with the first command that needs it; that is no part of a test.
beforeAll(() => import('./run-with-app.ts'));

async function signalbox(
  argv: readonly string[],
  options: TestIoOptions & { readonly env?: { readonly [name: string]: string } } = {},
) {
  const { env = {}, ...ioOptions } = options;
  const io = testIo(ioOptions);
  const cwd = mkdtempSync(join(tmpdir(), 'command-'));
  const code = await runCommand(io, {
    argv,
    env: { XDG_CONFIG_HOME: cwd, ...env },
    cwd,
    repository: '/nowhere',
    version: '1.2.3',
  });
  return { code, ...io.written, asked: io.asked };
}

function configFile(config: object): string {
  const file = join(mkdtempSync(join(tmpdir(), 'command-')), 'signalbox.json');
  writeFileSync(file, JSON.stringify(config));
  return file;
}

describe('help', () => {
  test.each([[[]], [['help']], [['--help']], [['-h']]])(
    '%j lists every command and the exit codes',
    async (argv) => {
      const { code, out, err } = await signalbox(argv);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      for (const name of Object.keys(COMMANDS))
        expect(out).toMatch(new RegExp(`^  signalbox ${name}\\b`, 'm'));
      expect(out).toMatch(/^ {2}3 {2}no answer: /m);
    },
  );

  test.each(Object.keys(COMMANDS))('%s --help and help %s print the same help', async (name) => {
    const { code, out } = await signalbox([name, '--help']);
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`^signalbox ${name}\\b.*: \\w`));
    expect(out).toContain('Exit codes');
    expect((await signalbox([name, '-h'])).out).toBe(out);
    expect((await signalbox(['help', name])).out).toBe(out);
  });

  test('lists the options of the command only', async () => {
    const { out } = await signalbox(['run', '--help']);
    expect(out).toContain('--yes');
    expect(out).not.toContain('--port');
  });

  test.each([
    ['serve', 'database and artifacts'],
    ['run', 'database of --demo'],
    ['demo', 'demo database'],
  ])('the data directory of %s is the folder of the %s', async (command, contents) => {
    expect((await signalbox([command, '--help'])).out).toMatch(
      new RegExp(`--data-dir DIR +folder of the ${contents};`),
    );
  });

  test.each(['-v', '-V', '--version'])('%s prints the version', async (option) => {
    expect(await signalbox([option])).toMatchObject({ code: 0, out: '1.2.3\n' });
  });
});

describe('an invalid command line has exit code 2 and a message of one line', () => {
  test.each<[readonly string[], string]>([
    [['fly'], 'unknown command "fly"'],
    [['fly', '--help'], 'unknown command "fly"'],
    [['help', 'fly'], 'unknown command "fly"'],
    [['severs'], 'unknown command "severs"; did you mean serve'],
    [['--port', '1'], 'unknown option "--port" before a command'],
    [['run'], 'run needs a task'],
    [['run', ' \t'], 'run needs a task'],
    [['serve', '/no/such/folder'], 'there is no folder /no/such/folder; name one that exists'],
    [['demo', '/no/such/folder'], 'there is no folder /no/such/folder; name one that exists'],
    [['run', 'two', 'words'], 'run takes one task; put it in quotes'],
    [
      ['run', 'task', '--port', '1'],
      '--port is not an option of signalbox run; see signalbox run --help',
    ],
    [['serve', '--server', 'a'], '--server is not an option of signalbox serve'],
    [['serve', '--prot', '1'], "Unknown option '--prot'; did you mean --port?"],
    [['serve', 'a', 'b'], 'serve takes one folder, not also "b"'],
    [['run', 'task', '--input', 'key'], '--input must have the form ID=VALUE'],
  ])('%j', async (argv, message) => {
    const { code, out, err } = await signalbox(argv);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(`signalbox: ${message}`);
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  test('a task may begin like an option after --', async () => {
    expect((await signalbox(['run', '--', '--help'])).code).toBe(3);
  });
});

describe('run', () => {
  const scenario = configFile({
    version: 1,
    scenarios: [
      {
        name: 'a',
        title: 'A',
        prompt: 'hello',
        turns: [{ when: { lastUser: 'hello' }, emit: [{ text: 'Good day.' }] }],
      },
    ],
  });

  test('prints the answer alone on stdout', async () => {
    const { code, out, err } = await signalbox(['run', '--scenario', scenario, 'hello']);
    expect({ code, out }).toEqual({ code: 0, out: 'Good day.\n' });
    expect(err).toMatch(/^run \S+ \(scripted/m);
    expect(err).toContain(`Answers come from the scenarios in ${basename(scenario)}, `);
    expect(err).not.toContain('OPENAI_API_KEY');
  });

  test('reads the task from stdin', async () => {
    expect(
      await signalbox(['run', '--scenario', scenario, '-'], { input: 'hello\n' }),
    ).toMatchObject({ code: 0, out: 'Good day.\n' });
    expect(await signalbox(['run', '-'], { input: ' \n' })).toMatchObject({
      code: 2,
      err: 'signalbox: stdin has no task\n',
    });
  });

  test('ends with 3 when neither a model nor a script answers', async () => {
    const { code, err } = await signalbox(['run', 'Write a poem']);
    expect(code).toBe(3);
    expect(err).toContain(
      'signalbox: the task was not answered: no model is configured, and no script covers it\n',
    );
  });

  test('needs none of the API keys of a service', async () => {
    const keys = { ci: { token_variable: 'CI_TOKEN' } };
    const config = configFile({ host: '0.0.0.0', api_keys: keys, edit_servers: 'all' });
    expect((await signalbox(['run', '--config', config, 'Write a poem'])).code).toBe(3);
  });

  test('ends with 3 when no server of the run was ready, and says why', async () => {
    const config = configFile({ mcpServers: { broken: { command: 'node', args: ['${NOPE}'] } } });
    const { code, err } = await signalbox([
      'run',
      '--config',
      config,
      '--scenario',
      scenario,
      'hello',
    ]);
    expect(code).toBe(3);
    expect(err).toMatch(
      /^signalbox: no server was ready: broken: mcpServers\.broken\.args\[0\]: the environment variable NOPE is not set/m,
    );
  });

  test('ends with 2 for the same configuration with --strict', async () => {
    const config = configFile({ mcpServers: { broken: { command: 'node', args: ['${NOPE}'] } } });
    const { code, err } = await signalbox(['run', '--strict', '--config', config, 'hello']);
    expect(code).toBe(2);
    expect(err).toBe(
      `signalbox: ${config}: mcpServers.broken.args[0]: the environment variable NOPE is not set; set it, or write \${NOPE:-default}\n`,
    );
  });

  test('prompts for the inputs of a configuration', async () => {
    const config = configFile({
      inputs: [{ id: 'key', description: 'API key', password: true }],
      servers: { a: { command: 'node', args: ['-e', '${input:key}'] } },
    });
    const { asked } = await signalbox(
      ['run', '--config', config, '--scenario', scenario, 'hello'],
      { typed: ['0'] },
    );
    expect(asked).toEqual(['API key: ']);
  });
});

test('with --log-format json, serve logs that it is ready and writes nothing to stdout', async () => {
  const stop = Promise.withResolvers<() => void>();
  const io = {
    ...testIo(),
    onInterrupt: (listener: () => void) => (stop.resolve(listener), () => undefined),
  };
  const cwd = mkdtempSync(join(tmpdir(), 'command-'));
  const served = runCommand(io, {
    argv: ['serve', '--port', '0', '--log-format', 'json'],
    env: { XDG_CONFIG_HOME: cwd },
    cwd,
    repository: '/nowhere',
    version: '1.2.3',
  });
  const end = await stop.promise;
  await expect.poll(() => io.written.err).toContain('signalbox is ready');
  end();
  expect(await served).toBe(0);
  expect(io.written.out).toBe('');
  const entries = io.written.err
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly msg: string });
  expect(entries.find(({ msg }) => msg === 'signalbox is ready')).toMatchObject({
    level: 'info',
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string,
    servers: [],
  });
});
