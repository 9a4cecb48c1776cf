import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ApiClient, type RunView } from '../support/client.ts';
import type { PlannedFault } from '../support/planned-faults.ts';
import type { ServiceProcess } from '../support/service.ts';
import { slowness } from '../support/slowness.ts';
import { BusyError } from '../support/stored.ts';
import { isApiPoint, nameOfFleetCell, type FleetCell } from './fleet-cells.ts';
import type { Fleet, Script } from './fleet.ts';
import { needsEffect, toolOf } from './matrix.ts';
import type { CellResult } from './run-cell.ts';
import type { Guard } from './controls.ts';

/** Time in which a cell ends on a quiet machine. */
const CELL_LIMIT_MS = 120_000;
const POLL_MS = 20;
/** Time in which a worker that is no longer frozen joins again. */
const REJOIN_LIMIT_MS = 20_000;
/** Time in which a killed process ends after its connections. */
const EXIT_LIMIT_MS = 10_000;
/** Time of ten looks at the store. */
const LOOKS_MS = 10_000;
/** Time in which a worker without a guard does harm. */
const HARM_MS = 2_000;

/** The call of a cell. */
export function scriptOf(
  cell: FleetCell,
  index: number,
  { folder, guardOff }: { readonly folder: string; readonly guardOff: Guard | undefined },
): Script {
  const isHeld = cell.cancels === true || guardOff === 'ledger' || guardOff === 'lease-clock';
  return {
    prompt: `cell ${index}`,
    tool: `counting__${toolOf[cell.kind]}`,
    input: { ledger: join(folder, `ledger-${index}`), ...(isHeld ? { hold: true } : {}) },
  };
}

/** Thrown when a worker was frozen in the middle of a write of other work. It blocks all writes, so nothing can continue. */
export class FrozenWriteError extends Error {}

/** Runs the call of the cell in a fleet, lets a process meet its fault, and answers each inbox item at once. */
export async function runFleetCell(
  cell: FleetCell,
  index: number,
  fleet: Fleet,
): Promise<CellResult> {
  const cellRun = new FleetCellRun(cell, index, fleet);
  const ended = new AbortController();
  try {
    return await Promise.race([
      cellRun.run(),
      cellLimit(ended.signal).then(() => {
        throw new Error(`${nameOfFleetCell(cell)} did not end; the workers logged ${fleet.logs()}`);
      }),
    ]);
  } finally {
    ended.abort();
    await cellRun.end();
  }
}

/** Resolves after the time in which a cell ends on this machine, with the work that it has now. Rejects when `ended` is aborted. */
async function cellLimit(ended: AbortSignal): Promise<void> {
  const begunAt = performance.now();
  await wait(CELL_LIMIT_MS, undefined, { signal: ended });
  const restMs = begunAt + CELL_LIMIT_MS * slowness() - performance.now();
  if (restMs > 0) await wait(restMs, undefined, { signal: ended });
}

class FleetCellRun {
  readonly #cell: FleetCell;
  readonly #index: number;
  readonly #fleet: Fleet;
  readonly #faults: readonly PlannedFault[];
  readonly #script: Script;
  #edgeProcess: ServiceProcess | undefined;
  /** API process that gets the commands. */
  #edge: ApiClient;
  #asksPerson = false;
  #isStreamed = false;
  #lateEvents: readonly string[] = [];
  #isThawed = false;
  #continuedAt: number | undefined;
  #isOver = false;

  constructor(cell: FleetCell, index: number, fleet: Fleet) {
    this.#cell = cell;
    this.#index = index;
    this.#fleet = fleet;
    this.#edge = fleet.api;
    this.#script = scriptOf(cell, index, fleet);
    const { killing } = cell;
    const points = ['firstAt' in killing ? killing.firstAt : undefined, killing.at];
    this.#faults =
      cell.fault === 'none'
        ? []
        : points
            .filter((at) => at !== undefined)
            .map((at, position) => ({
              at,
              signal: cell.fault === 'frozen' ? 'SIGSTOP' : 'SIGKILL',
              mark: fleet.markOf(`${index}-${position}`),
              ...(needsEffect(cell.kind, at)
                ? { evidence: join(fleet.folder, `ledger-${index}`) }
                : {}),
            }));
  }

  async run(): Promise<CellResult> {
    const fleet = this.#fleet;
    fleet.endsLeases = this.#cell.hasRealLease !== true;
    const isJoinedLater = fleet.guardOff === 'lease-clock';
    await fleet.keepWorkers(isJoinedLater ? 1 : this.#faults.length > 1 ? 3 : 2);
    if (isApiPoint(this.#cell.killing.at)) {
      this.#edgeProcess = await fleet.startApi();
      this.#edge = new ApiClient(this.#edgeProcess.url);
    }
    const { input, tool } = this.#script;
    fleet.model?.say(
      { call: { name: tool, arguments: JSON.stringify(input) }, finish: 'tool_calls' },
      { status: 503 },
      { text: 'counted', finish: 'stop' },
    );
    fleet.plan(this.#faults);
    const begunAt = Date.now();
    const met = isJoinedLater ? this.#joinDuringCall() : this.#meetFaults();
    const failed = new Promise<never>((_, reject) => void met.catch(reject));
    const id = await this.#startRun();
    await Promise.race([this.#awaitEnd(id), failed]);
    this.#continuedAt ??= Date.now();
    await this.#thaw(id);
    this.#isOver = true;
    await met;
    const run = await fleet.api.run(id);
    const seqs = (await fleet.api.events(id)).map(({ seq }) => seq);
    const lastMark = this.#faults.at(-1)?.mark;
    const faultAt =
      lastMark !== undefined && existsSync(lastMark) ? statSync(lastMark).mtimeMs : begunAt;
    return {
      status: run.status,
      effects: this.#effects,
      asksPerson: this.#asksPerson,
      wasKilled: this.#faults.every(({ mark }) => existsSync(mark)),
      isContinuous: seqs.every((seq, index) => seq === index + 1) && seqs.length === run.last_seq,
      recoveryMs: this.#continuedAt - faultAt,
      ...(fleet.guardOff === 'look' ? { isStreamed: this.#isStreamed } : {}),
      lateEvents: this.#lateEvents,
    };
  }

  async end(): Promise<void> {
    this.#isOver = true;
    this.#fleet.plan([]);
    await this.#edgeProcess?.stop('SIGKILL');
    // A worker that is still frozen would be counted as one that works.
    const frozen = this.#frozenPid;
    if (frozen !== undefined && !this.#isThawed) process.kill(frozen, 'SIGKILL');
  }

  get #effects(): number {
    const file = join(this.#fleet.folder, `ledger-${this.#index}`);
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
  }

  get #frozenPid(): number | undefined {
    const mark = this.#faults[0]?.mark;
    return this.#cell.fault === 'frozen' && mark !== undefined && existsSync(mark)
      ? Number(readFileSync(mark, 'utf8'))
      : undefined;
  }

  /** Does what follows the fault of the first process. */
  async #meetFaults(): Promise<void> {
    const { fault, hasRealLease } = this.#cell;
    const [first] = this.#faults;
    if (first === undefined || fault === 'one-killed') return;
    while (!existsSync(first.mark)) {
      if (this.#isOver) return;
      await wait(POLL_MS);
    }
    if (fault === 'all-killed') {
      await this.#fleet.killWorkers();
      await this.#fleet.keepWorkers(1);
    } else if (hasRealLease !== true) {
      // The file is created before the signal.
      await wait(POLL_MS);
      try {
        await this.#fleet.endLease(this.#frozenPid);
      } catch (error) {
        throw error instanceof BusyError ? new FrozenWriteError() : error;
      }
    }
  }

  /** Starts the second worker while the first one makes the call. */
  async #joinDuringCall(): Promise<void> {
    while (this.#effects === 0 && !this.#isOver) await wait(POLL_MS);
    await this.#fleet.keepWorkers(2);
  }

  /** Starts the run, unless the API process stored it before it died. */
  async #startRun(): Promise<string> {
    const { prompt } = this.#script;
    for (;;) {
      const [known] = (
        await this.#fleet.api.get<{ data: RunView[] }>('/v1/runs?limit=10')
      ).data.filter((run) => run['prompt'] === prompt);
      if (known !== undefined) return known.id;
      const run = await this.#command((edge) => edge.start(prompt));
      if (run !== undefined) return run.id;
    }
  }

  /** Waits for the end of the run, or for the harm of the guard that is switched off. */
  #awaitEnd(id: string): Promise<void> {
    switch (this.#fleet.guardOff) {
      case 'recovery':
        return this.#awaitRecovery();
      case 'claim':
        return this.#awaitSecondEffect();
      case 'look':
        return Promise.race([this.#follow(id), this.#awaitLooks(id)]);
      default:
        return this.#follow(id);
    }
  }

  /** Follows the run to its end. */
  async #follow(id: string): Promise<void> {
    const { api } = this.#fleet;
    const answered = new Set<string>();
    let isCancelWanted = this.#cell.cancels === true;
    for await (const event of api.stream(id)) {
      if (event.type === 'inbox.opened') await this.#answer(id, answered);
      if (event.type === 'tool_call.progress' && isCancelWanted) {
        isCancelWanted = false;
        await this.#cancel(id);
      }
    }
    this.#isStreamed = true;
  }

  /** Waits in place of a run that does not end, until another worker has ended the lease of the killed one. */
  async #awaitRecovery(): Promise<void> {
    const mark = this.#faults[0]?.mark ?? '';
    while (!existsSync(mark)) await wait(POLL_MS);
    await this.#isRemoved(Number(readFileSync(mark, 'utf8')));
    await wait(HARM_MS);
  }

  /** Resolves when another worker has ended the lease of a process. */
  async #isRemoved(pid: number): Promise<void> {
    while ((await this.#fleet.idsOf(pid)).length > 0) await wait(POLL_MS);
  }

  /** Waits in place of a run whose calls are never settled. */
  async #awaitSecondEffect(): Promise<void> {
    const deadline = Date.now() + EXIT_LIMIT_MS;
    while (this.#effects < 2 && Date.now() < deadline) await wait(POLL_MS);
  }

  /** Waits until the run has had no event for the time of ten looks: it has ended, or waits for a person who is not told. */
  async #awaitLooks(id: string): Promise<void> {
    let last = -1;
    for (let since = Date.now(); Date.now() < since + LOOKS_MS; await wait(POLL_MS)) {
      const { last_seq: lastSeq } = await this.#fleet.api.run(id);
      if (lastSeq === last) continue;
      last = lastSeq;
      since = Date.now();
    }
  }

  async #cancel(id: string): Promise<void> {
    const done = await this.#command((edge) => edge.post(`/v1/runs/${id}/cancel`));
    const { status } = await this.#fleet.api.run(id);
    if (done === undefined && !status.startsWith('cancel')) await this.#cancel(id);
  }

  async #answer(runId: string, answered: Set<string>): Promise<void> {
    for (const item of (await this.#fleet.api.run(runId)).inbox) {
      if (answered.has(item.id)) continue;
      if (item.kind === 'outcome_unknown') {
        this.#asksPerson = true;
        this.#continuedAt ??= Date.now();
        await this.#thaw(runId);
        // The late result closed the item.
        if (this.#lateEvents.length > 0) return;
      }
      const done = await this.#command((edge) =>
        edge.post(
          `/v1/inbox/${item.id}/respond`,
          item.kind === 'outcome_unknown'
            ? { action: this.#effects === 0 ? 'retry' : 'mark_done' }
            : { action: 'accept', content: { sure: true } },
        ),
      );
      if (done === undefined) return this.#answer(runId, answered);
      answered.add(item.id);
    }
  }

  /**
   * Sends a command. Returns undefined when it is to be sent again: after the API process died, to
   * another one, or after the database did not answer in time.
   */
  async #command<T>(send: (edge: ApiClient) => Promise<T>): Promise<T | undefined> {
    try {
      return await send(this.#edge);
    } catch (error) {
      if (String(error).includes('"retryable":true')) {
        await wait(POLL_MS);
        return undefined;
      }
      const child = this.#edgeProcess?.process;
      if (child === undefined || this.#edge === this.#fleet.api) throw error;
      // The connection ends before the process.
      const deadline = Date.now() + EXIT_LIMIT_MS;
      while (child.signalCode === null && Date.now() < deadline) await wait(POLL_MS);
      if (child.signalCode === null) throw error;
      this.#edge = this.#fleet.api;
      return undefined;
    }
  }

  /** Lets the frozen worker continue. Everything that it stores of the run is late. */
  async #thaw(id: string): Promise<void> {
    const pid = this.#frozenPid;
    if (pid === undefined || this.#isThawed) return;
    this.#isThawed = true;
    const { api, guardOff } = this.#fleet;
    // Work without an owner is continued before.
    await this.#isRemoved(pid);
    const stored = await api.run(id);
    process.kill(pid, 'SIGCONT');
    const deadline = Date.now() + (guardOff === 'fence' ? HARM_MS : REJOIN_LIMIT_MS);
    while ((await this.#fleet.idsOf(pid)).length === 0 && Date.now() < deadline)
      await wait(POLL_MS);
    if (guardOff !== 'fence' && (await this.#fleet.idsOf(pid)).length === 0)
      throw new Error('the frozen worker did not join again');
    // A call that it only sends now has its effect within this time.
    await wait(POLL_MS * 10);
    const events = await api.events(id);
    this.#lateEvents = events.filter(({ seq }) => seq > stored.last_seq).map(({ type }) => type);
  }
}
