import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { ApiClient, type RunView } from './support/client.ts';
import { hooksWithout, type Protection } from './support/crash-hooks.ts';
import { writeScenario } from './support/scenario.ts';
import { copyFolder, queryStored } from './support/stored.ts';
import {
  startService,
  startServiceProcess,
  temporaryFolder,
  type Service,
  type ServiceOptions,
  type ServiceProcess,
} from './support/service.ts';

const crashingService = fileURLToPath(new URL('support/crashing-service.ts', import.meta.url));
const askingServer = fileURLToPath(new URL('support/asking-server.ts', import.meta.url));

let folder: string;
let ledger: string;
let crashing: ServiceProcess | undefined;
let restarted: Service | undefined;
afterEach(async () => {
  await crashing?.stop('SIGKILL');
  await restarted?.stop();
  restarted = undefined;
});

const folders: Awaited<ReturnType<typeof temporaryFolder>>[] = [];
afterAll(() => Promise.all(folders.map((made) => made.remove())));

/** Makes an empty folder the one of the service. */
async function useNewFolder(): Promise<void> {
  const made = await temporaryFolder();
  folders.push(made);
  folder = made.path;
  ledger = join(folder, 'ledger');
  await writeScenario(folder, [
    {
      prompt: 'append',
      steps: [[{ tool: 'asking__append_line', input: { text: 'one' } }]],
      answer: 'appended',
    },
    { prompt: 'look', steps: [[{ tool: 'asking__look' }]], answer: 'looked' },
  ]);
}

const options = (): ServiceOptions => ({
  folder,
  config: {
    llm: { provider: 'scripted', scenario: join(folder, 'scenario.json') },
    mcpServers: {
      asking: {
        command: 'node',
        args: [askingServer, ledger],
        signalbox: { trust: true, approval: 'auto', era: 'legacy' },
      },
    },
  },
});

/** Starts the service again, in this process. */
async function restart(without?: Protection): Promise<ApiClient> {
  restarted = await startService({ ...options(), hooks: hooksWithout(without) });
  return new ApiClient(restarted.url);
}

interface Crashed {
  readonly id: string;
  /** The types of the events that were stored before the process died. */
  readonly stored: readonly string[];
}

interface Remains {
  readonly id: string;
  readonly folder: string;
  /** A copy of the folder and its store as the process left them. */
  readonly copy: string;
}

/** By prompt and point: a test and its control continue from the same crash. */
const crashes = new Map<string, Remains>();

/** Puts the folder and its store into the state after a run was started whose service killed itself at the crash point, and not before the file `evidence` was there. */
async function crashDuring(
  prompt: string,
  point: string,
  evidence?: 'ledger' | 'ledger.looks',
): Promise<Crashed> {
  const key = `${prompt} ${point}`;
  const remains = crashes.get(key) ?? (await crash(prompt, point, evidence));
  crashes.set(key, remains);
  ({ folder } = remains);
  ledger = join(folder, 'ledger');
  await rm(folder, { recursive: true });
  await copyFolder(remains.copy, folder);
  return { id: remains.id, stored: await storedEvents(remains.id) };
}

async function crash(prompt: string, point: string, evidence?: string): Promise<Remains> {
  await useNewFolder();
  const proof = evidence === undefined ? {} : { CRASH_EVIDENCE: join(folder, evidence) };
  crashing = await startServiceProcess({
    ...options(),
    program: crashingService,
    env: { CRASH_AT: point, ...proof },
  });
  // The process may end before its response.
  await new ApiClient(crashing.url).start(prompt).catch(() => undefined);
  const { process: child } = crashing;
  await new Promise<void>((resolve) => {
    if (child.signalCode === null) child.once('exit', () => resolve());
    else resolve();
  });
  expect(child.signalCode).toBe('SIGKILL');
  const kept = await temporaryFolder();
  folders.push(kept);
  await copyFolder(folder, kept.path);
  const runs = await queryStored<{ id: string }>(folder, 'select id from runs');
  expect(runs).toHaveLength(1);
  return { id: runs[0]?.id ?? '', folder, copy: kept.path };
}

async function storedEvents(id: string): Promise<readonly string[]> {
  const rows = await queryStored<{ type: string }>(
    folder,
    'select type from events where run_id = ? order by seq',
    [id],
  );
  return rows.map(({ type }) => type);
}

const lines = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];

/** The events of a run are 1, 2, 3… without a gap, and those from before the crash are the same afterwards. */
async function expectContinuous(
  api: ApiClient,
  run: RunView,
  stored: readonly string[],
): Promise<void> {
  const events = await api.events(run.id);
  expect(events.map((event) => event.seq)).toEqual(
    Array.from({ length: run.last_seq }, (_, index) => index + 1),
  );
  expect(stored[0]).toBe('run.queued');
  expect(events.length).toBeGreaterThan(stored.length);
  expect(events.slice(0, stored.length).map((event) => event.type)).toEqual(stored);
}

describe('the service is killed with SIGKILL and started again', () => {
  test('before the model call: the run continues and completes', async () => {
    const { id, stored } = await crashDuring('append', 'before-model-call');
    expect(lines(ledger)).toEqual([]);
    const api = await restart();
    const run = await api.settled(id);
    expect(run).toMatchObject({ status: 'completed', answer: 'appended' });
    expect(lines(ledger)).toEqual(['one']);
    await expectContinuous(api, run, stored);
    expect((await api.events(id)).map((event) => event.type)).toContain('turn.interrupted');
  });

  test('during a call that writes: the write is not repeated, and a person decides', async () => {
    const { id, stored } = await crashDuring('append', 'during-tool-call', 'ledger');
    expect(lines(ledger)).toEqual(['one']);
    const api = await restart();
    await api.waitFor(id, (event) => event.type === 'inbox.opened');
    const waiting = await api.run(id);
    expect(waiting).toMatchObject({
      status: 'input_required',
      inbox: [{ kind: 'outcome_unknown' }],
    });
    expect(lines(ledger)).toEqual(['one']);

    await api.post(`/v1/inbox/${waiting.inbox[0]!.id}/respond`, {
      action: 'mark_done',
      note: 'the line is there',
    });
    const run = await api.settled(id);
    expect(run).toMatchObject({ status: 'completed', answer: 'appended' });
    expect(lines(ledger)).toEqual(['one']);
    await expectContinuous(api, run, stored);
  });

  test("during a trusted server's read-only call: the call is repeated, and the run completes", async () => {
    const { id, stored } = await crashDuring('look', 'during-tool-call', 'ledger.looks');
    const api = await restart();
    const run = await api.settled(id);
    expect(run).toMatchObject({ status: 'completed', answer: 'looked' });
    expect(await api.toolCalls(id)).toMatchObject([
      { name: 'asking__look', state: 'succeeded', attempt: 2 },
    ]);
    expect(lines(`${ledger}.looks`)).toEqual(['look', 'look']);
    await expectContinuous(api, run, stored);
  });

  test('after the result arrived but before it was stored: the write is not repeated, and a person decides', async () => {
    const { id } = await crashDuring('append', 'after-tool-result');
    const api = await restart();
    await api.waitFor(id, (event) => event.type === 'tool_call.outcome_unknown');
    expect(lines(ledger)).toEqual(['one']);
  });

  test('after the result was stored: the run continues from it', async () => {
    const { id, stored } = await crashDuring('append', 'after-settle-call-commit');
    const api = await restart();
    const run = await api.settled(id);
    expect(run).toMatchObject({ status: 'completed', answer: 'appended' });
    expect(lines(ledger)).toEqual(['one']);
    expect(await api.toolCalls(id)).toMatchObject([{ state: 'succeeded', attempt: 1 }]);
    await expectContinuous(api, run, stored);
  });
});

describe('control: with a protection off, the same crash does harm', () => {
  test.for(['during-tool-call', 'after-tool-result'])(
    'without the rule of the ledger a write that was killed at %s is repeated',
    async (point) => {
      const { id } = await crashDuring('append', point, 'ledger');
      const api = await restart('ledger');
      await api.settled(id);
      expect(lines(ledger)).toEqual(['one', 'one']);
    },
  );

  test.for(['before-model-call', 'after-settle-call-commit'])(
    'without recovery a run that was killed at %s is lost',
    async (point) => {
      const { id } = await crashDuring('append', point);
      const api = await restart('recovery');
      // The service works: a new run completes while the killed one stays where it was.
      expect(await api.settled((await api.start('look')).id)).toMatchObject({
        status: 'completed',
      });
      expect(await api.run(id)).toMatchObject({ status: 'running' });
    },
  );
});
