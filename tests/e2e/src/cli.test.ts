import { spawn, type ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runToEnd, type Ended } from './support/command.ts';
import { repository } from './support/markdown.ts';
import { writeScenario } from './support/scenario.ts';
import { agentMain, serverBin, temporaryFolder } from './support/service.ts';
import { slowSearch, writeSlowFolder } from './support/slow-search.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
const children: ChildProcess[] = [];
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await folder.remove();
});

interface Command {
  readonly process: ChildProcess;
  out(): string;
  error(): string;
  /** Resolves when stderr has the text. */
  reported(text: string): Promise<void>;
  readonly code: Promise<number | null>;
}

function signalbox(...args: string[]): Command {
  const child = spawn(process.execPath, [agentMain, ...args], {
    cwd: folder.path,
    env: {
      PATH: process.env['PATH'],
      HOME: folder.path,
      SIGNALBOX_DATA_DIR: join(folder.path, 'data'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let out = '';
  let error = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    error += text;
  });
  return {
    process: child,
    out: () => out,
    error: () => error,
    async reported(text) {
      await expect.poll(() => error, { interval: 20 }).toContain(text);
    },
    code: new Promise((resolve) => child.once('close', resolve)),
  };
}

/** The same command in this process. */
function runInProcess(...args: readonly string[]): Promise<Ended> {
  return runToEnd(args, {
    folder: folder.path,
    env: { SIGNALBOX_DATA_DIR: join(folder.path, 'data') },
  });
}

async function config(
  scripts: Parameters<typeof writeScenario>[1],
  args: readonly string[] = [],
  rules: object = { trust: true },
): Promise<string> {
  const file = join(folder.path, 'signalbox.json');
  const mcpServers = {
    filesystem: {
      command: 'node',
      args: [serverBin.filesystem, ...args, folder.path],
      signalbox: rules,
    },
  };
  await writeFile(
    file,
    JSON.stringify({
      llm: { provider: 'scripted', scenario: await writeScenario(folder.path, scripts) },
      mcpServers,
    }),
  );
  return file;
}

describe('signalbox run', () => {
  test('prints the calls, their results and the answer, and says that no model answers', async () => {
    await writeFile(join(folder.path, 'note.txt'), 'remember the milk');
    const file = await config([
      {
        prompt: 'read',
        steps: [
          [{ tool: 'filesystem__read_text_file', input: { path: 'note.txt' }, label: 'note' }],
        ],
        answer: 'It says: ${result.note.text}',
      },
    ]);
    const run = signalbox('run', '--config', file, 'read');
    expect(await run.code).toBe(0);
    expect(run.out()).toBe('It says: remember the milk\n');
    expect(run.error()).toMatch(
      /Answers come from the scenarios in .*scripted.*→ filesystem__read_text_file \{"path":"note\.txt"\}.*✓ filesystem__read_text_file \d+ ms: remember the milk\n$/s,
    );
  });

  test('--json prints the events as they are stored', async () => {
    const file = await config([{ prompt: 'hello', steps: [], answer: 'Good day.' }]);
    const { code, out } = await runInProcess('run', '--config', file, '--json', 'hello');
    expect(code).toBe(0);
    const events = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { seq: number; type: string });
    expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.at(-1)).toMatchObject({
      type: 'run.completed',
      data: { answer: 'Good day.', scripted: true },
    });
  });

  test('Ctrl-C cancels the run at the server, too, and sets the exit code', async () => {
    const files = join(folder.path, 'files');
    writeSlowFolder(files);
    const file = await config(
      [
        {
          prompt: 'search',
          steps: [[{ tool: 'filesystem__search_files', input: { ...slowSearch, path: 'files' } }]],
          answer: 'searched',
        },
      ],
      ['--log-level', 'debug'],
    );
    const run = signalbox('run', '--config', file, '--log-level', 'debug', 'search');
    await run.reported('matches in');
    run.process.kill('SIGINT');
    expect(await run.code).toBe(130);
    expect(run.error()).toMatch(
      /filesystem__search_files cancelled \((?:delivered|confirmed)\)\s+run cancelled/,
    );
    // The server says so itself, unless its process ended first.
    expect(run.error()).not.toMatch(/tool=search_files outcome=finished/);
  });

  test('a call that needs approval without a terminal ends with exit code 4; --yes approves it', async () => {
    await writeFile(join(folder.path, 'note.txt'), 'remember the milk');
    const file = await config(
      [
        {
          prompt: 'read',
          steps: [
            [{ tool: 'filesystem__read_text_file', input: { path: 'note.txt' }, label: 'note' }],
          ],
          answer: 'done',
        },
      ],
      [],
      { approval: 'ask' },
    );
    const refused = await runInProcess('run', '--config', file, 'read');
    expect(refused.code, refused.err).toBe(4);
    expect(refused.err).toContain(
      'tool_approval needs user input, which is requested only at a terminal and without --json; use --yes, or allow it',
    );
    const approved = await runInProcess('run', '--config', file, '--yes', 'read');
    expect(approved.code, approved.err).toBe(0);
    expect(approved.err).toContain('✓ filesystem__read_text_file');
  });

  test.each([
    [['run'], /needs a task/],
    [['run', 'two', 'words'], /put it in quotes/],
    [['fly'], /unknown command "fly"/],
    [['run', '--server', 'nowhere', 'hello'], /nowhere/],
  ])('%j is refused with one line', async (args, expected) => {
    const run = await runInProcess(...args);
    expect(run.code).toBe(2);
    expect(run.err).toMatch(expected);
  });
});

describe('signalbox demo', () => {
  // That the answers are right without these is tested with the commands of the documentation.
  test('control: with wrong answers it fails and says what is missing', async () => {
    const wrong = await writeScenario(folder.path, [
      { prompt: 'Which customers bought most.', steps: [], answer: 'Nobody bought anything.' },
      {
        prompt: 'Which packages are in this workspace and which has the most source files.',
        steps: [],
        answer: 'There are none.',
      },
      // Every name is right, the ranking is not.
      {
        prompt: 'Compare the weather in Oslo, Lisbon and Cairo',
        steps: [],
        answer: 'This is made-up: 1. Oslo: 40 °C 2. Lisbon: 30 °C 3. Cairo: 20 °C',
      },
    ]);
    const demo = await runInProcess('demo', '--scenario', wrong, repository);
    expect(demo.code).toBe(1);
    expect(demo.out).toMatch(/0 of 5 demos are correct/);
    expect(demo.err).toMatch(/its answer lacks: .* bought most/);
    expect(demo.err).toMatch(/its answer lacks: It gets warmest in/);
    expect(demo.err).toMatch(
      /no server used the model; nobody was asked; the list was not followed; its answer lacks: Show /,
    );
    expect(demo.err).toMatch(/"Where on the equator is it warmest\?".*it was not cancelled/);
  });
});

test('signalbox --help names every command', async () => {
  const help = signalbox('--help');
  expect(await help.code).toBe(0);
  for (const word of ['serve', 'run', 'demo', 'inbox', 'replay', 'OPENAI_API_KEY'])
    expect(help.out()).toContain(word);
});
