import { afterEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../../testing/manual-clock.ts';
import type { Priority } from '../priority.ts';
import type { Clock } from '../clock.ts';
import type { ServerState } from '../server-state.ts';
import type { Store } from '../store.ts';
import type { FleetStore } from './fleet.ts';
import type { HandedJobs } from './handed-jobs.ts';
import type { ServerOwners } from './server-owners.ts';
import { LEASE_MS } from './worker.ts';

interface Opened {
  readonly store: Store;
  readonly fleet: FleetStore;
  readonly handedJobs: HandedJobs;
  readonly serverOwners: ServerOwners;
}

const state = (name: string, rest: Partial<ServerState> = {}): ServerState => ({
  status: {
    name,
    transport: 'stdio',
    state: 'ready',
    breaker: { state: 'closed', failures: 0 },
    quarantined: [],
    roots: [],
    toolCount: 1,
    warnings: [],
    connections: [],
    waiting: [],
    since: 1,
    restarts: 0,
  },
  isOffering: true,
  capabilities: { tools: {} },
  tools: [
    {
      tool: {
        wireName: `${name}__read`,
        server: name,
        name: 'read',
        description: 'Reads.',
        inputSchema: { type: 'object' },
        annotations: {},
        trusted: false,
      },
    },
  ],
  ...rest,
});

/**
 * Describes the behavior of every store adapter for the servers of workers, and for commands and
 * jobs for workers. `open` opens an empty store as an API process.
 */
export function fleetContract(
  name: string,
  open: (clock: Clock) => Promise<Opened & { readonly close: () => Promise<void> }>,
): void {
  describe(`store contract, servers of workers: ${name}`, () => {
    let close = (): Promise<void> => Promise.resolve();
    afterEach(() => close());

    const opened = async (): Promise<Opened & { readonly clock: ManualClock }> => {
      const clock = new ManualClock();
      const parts = await open(clock);
      close = async () => {
        close = () => Promise.resolve();
        await parts.close();
      };
      for (const id of ['w1', 'w2']) {
        await parts.store.write({}, (change) => change.addWorker({ id, role: 'worker', pid: 1 }));
        clock.advance(1);
      }
      return { ...parts, clock };
    };

    test('the workers are those with servers and a lease, oldest first', async () => {
      const { store, fleet, clock } = await opened();
      expect((await fleet.workers()).map(({ id }) => id)).toEqual(['w1', 'w2']);
      await store.write({}, (change) => change.endWorker('w1'));
      expect((await fleet.workers()).map(({ id }) => id)).toEqual(['w2']);
      clock.advance(LEASE_MS);
      expect(await fleet.workers()).toEqual([]);
    });

    test('the state of a server replaces the earlier state on the same worker', async () => {
      const { fleet } = await opened();
      await fleet.saveState('w2', state('a'));
      await fleet.saveState('w1', state('a'));
      await fleet.saveState('w1', state('a', { isOffering: false, capabilities: undefined }));
      const [first, second] = await fleet.states();
      const { tools, ...rest } = state('a');
      expect(first).toMatchObject({ workerId: 'w1', isOffering: false, capabilities: undefined });
      expect(second).toMatchObject({ workerId: 'w2', ...rest });
      expect(await fleet.listedTools(second?.toolsDigest ?? '')).toEqual(tools);
      expect(await fleet.listedTools('none')).toBeUndefined();
    });

    test('tools that a server lists no longer are removed, unless it lists them on another worker', async () => {
      const { fleet } = await opened();
      const [tool] = state('a').tools;
      if (tool === undefined) throw new Error('the state has no tool');
      const first = state('a');
      for (const worker of ['w1', 'w2']) await fleet.saveState(worker, first);
      const [{ toolsDigest } = { toolsDigest: '' }] = await fleet.states();
      await fleet.saveState('w1', state('a', { tools: [tool, tool] }));
      expect(await fleet.listedTools(toolsDigest)).toEqual(first.tools);
      await fleet.saveState('w2', state('a', { tools: [tool, tool] }));
      expect(await fleet.listedTools(toolsDigest)).toBeUndefined();
    });

    test('states and tools of ended workers are removed, and those of others stay', async () => {
      const { store, fleet } = await opened();
      await fleet.saveState('w1', state('a'));
      await fleet.saveState('w2', state('b'));
      const digests = (await fleet.states()).map(({ toolsDigest }) => toolsDigest);
      await store.write({}, (change) => change.endWorker('w1'));
      await fleet.removeLeftovers();
      const tools = await Promise.all(digests.map((digest) => fleet.listedTools(digest)));
      expect(tools.map((each) => each === undefined)).toEqual([true, false]);
      await fleet.removeStates('w2');
      expect(await fleet.states()).toEqual([]);
    });

    test('settings are kept by server until they are cleared', async () => {
      const { fleet } = await opened();
      await fleet.changeSettings('b', { isDrained: true });
      await fleet.changeSettings('a', { roots: ['/data'] });
      await fleet.changeSettings('a', { isDrained: true });
      await fleet.changeSettings('b', { isDrained: false });
      expect(await fleet.settings()).toEqual([
        { server: 'a', roots: ['/data'], isDrained: true },
        { server: 'b', roots: undefined, isDrained: false },
      ]);
      await fleet.clearSettings();
      expect(await fleet.settings()).toEqual([]);
    });

    test('a command is read by its worker until it is answered or expires, and answered once', async () => {
      const { fleet, clock } = await opened();
      const request = {
        id: 'r1',
        workerId: 'w1',
        server: 'a',
        command: { kind: 'read_resource', uri: 'file:///x' },
      } as const;
      await fleet.addRequests([request, { ...request, id: 'r2' }], 1000);
      expect(await fleet.requestsTo('w1')).toEqual([request, { ...request, id: 'r2' }]);
      expect(await fleet.requestsTo('w2')).toEqual([]);
      const answer = { type: 'result', result: { value: [] } } as const;
      await fleet.answerRequest('r1', answer);
      await fleet.answerRequest('r1', { type: 'error', code: 'internal', message: 'late' });
      expect([await fleet.answerTo('r1'), await fleet.answerTo('r2')]).toEqual([answer, undefined]);
      expect((await fleet.requestsTo('w1')).map(({ id }) => id)).toEqual(['r2']);
      await fleet.removeRequests(['r1']);
      expect(await fleet.answerTo('r1')).toBeUndefined();
      clock.advance(1000);
      expect(await fleet.requestsTo('w1')).toEqual([]);
      await fleet.removeLeftovers();
      await fleet.answerRequest('r2', answer);
      expect(await fleet.answerTo('r2')).toBeUndefined();
    });

    test('a job is handed over once while it waits, and taken once, oldest first', async () => {
      const { handedJobs, clock } = await opened();
      const first = { type: 'call-tool', callId: 'c1' } as const;
      await handedJobs.hand(first);
      clock.advance(1);
      for (const runId of ['r1', 'r1', 'r2']) await handedJobs.hand({ type: 'advance-run', runId });
      const taken = await Promise.all([handedJobs.take(2, 'w1'), handedJobs.take(2, 'w1')]);
      expect(taken.flat()).toHaveLength(3);
      expect(taken[0]).toContainEqual({ job: first, priority: 'normal' });
      expect(await handedJobs.take(2, 'w1')).toEqual([]);
    });

    test('a job for one worker is taken by it alone, and by others when it has ended', async () => {
      const { handedJobs, store } = await opened();
      const job = { type: 'call-tool', callId: 'c1' } as const;
      const other = { type: 'call-tool', callId: 'c2' } as const;
      await handedJobs.hand(job);
      await handedJobs.handTo('w1', job);
      await handedJobs.handTo('w1', other);
      expect(await handedJobs.take(9, 'w2')).toEqual([]);
      expect(await handedJobs.take(1, 'w1')).toEqual([
        { job, priority: 'normal', isAddressed: true },
      ]);
      await store.write({}, (change) => change.endWorker('w1'));
      expect(await handedJobs.take(9, 'w2')).toEqual([{ job: other, priority: 'normal' }]);
    });

    test('of workers that claim a server at once one becomes its owner, until it has ended', async () => {
      const { serverOwners, store } = await opened();
      const claims = ['w1', 'w2', 'w1'].map((worker) => serverOwners.claim('a', worker));
      const [owner = ''] = await Promise.all(claims);
      const loser = owner === 'w1' ? 'w2' : 'w1';
      expect(await Promise.all(claims)).toEqual([owner, owner, owner]);
      expect(await serverOwners.claim('b', loser)).toBe(loser);
      expect(await serverOwners.owners()).toEqual(
        new Map([
          ['a', owner],
          ['b', loser],
        ]),
      );
      await store.write({}, (change) => change.endWorker(owner));
      expect(await serverOwners.owners()).toEqual(new Map([['b', loser]]));
      expect(await serverOwners.claim('a', loser)).toBe(loser);
    });

    test('an owner that sends no heartbeat keeps its server until it is ended, and claims nothing afterwards', async () => {
      const { serverOwners, store, clock } = await opened();
      await serverOwners.claim('a', 'w1');
      clock.advance(LEASE_MS);
      expect(await serverOwners.claim('a', 'w2')).toBe('w1');
      await store.write({}, (change) => change.beat('w2'));
      await store.write({}, (change) => change.endExpiredWorkers({ except: 'w2' }));
      expect(await serverOwners.claim('a', 'w1')).toBeUndefined();
      expect(await serverOwners.claim('a', 'w2')).toBe('w2');
      expect(await serverOwners.claim('a', 'w1')).toBe('w2');
      expect(await serverOwners.claim('b', 'w1')).toBeUndefined();
      expect(await serverOwners.owners()).toEqual(new Map([['a', 'w2']]));
    });

    test('handed jobs are taken by the priority of their run, runs in progress before runs that begin', async () => {
      const { handedJobs, clock } = await opened();
      const priorities: readonly Priority[] = ['low', 'normal', 'high'];
      for (const type of ['start-run', 'advance-run'] as const)
        for (const priority of priorities) {
          await handedJobs.hand({ type, runId: priority }, priority);
          clock.advance(1);
        }
      const taken = await handedJobs.take(9, 'w1');
      expect(taken.map(({ job, priority }) => `${job.type} ${priority}`)).toEqual([
        'advance-run high',
        'advance-run normal',
        'advance-run low',
        'start-run high',
        'start-run normal',
        'start-run low',
      ]);
    });
  });
}
