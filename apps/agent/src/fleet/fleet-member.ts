import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '@signalbox/mcp-core';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import {
  DefinitionChangedError,
  ServerRefusedError,
  ServerUnavailableError,
  UnknownToolError,
  type ServerControl,
  type ServerDirectory,
  type ServerFeatures,
} from '../ports/server-directory.ts';
import type { ServerState, ServerStates } from '../ports/server-state.ts';
import type { SignalBus } from '../ports/signal-bus.ts';
import type { FleetAnswer, FleetCommand, FleetRequest, FleetStore } from '../ports/store/fleet.ts';
import type { ToolDispatcher } from '../ports/tool-dispatcher.ts';
import { FailureLog } from '../run/core/failure-log.ts';
import { PollLoop } from './poll-loop.ts';
import { messageOf } from '../text/error-text.ts';

export interface FleetMemberOptions {
  readonly fleet: FleetStore;
  readonly pool: ServerStates & ServerDirectory & Pick<ToolDispatcher, 'onServerChange'>;
  /** Returns the id of this process as a worker. It changes when a lease is lost. */
  readonly workerId: () => string;
  readonly bus: SignalBus;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Milliseconds between two comparisons of all states, for changes without a notification. */
const COMPARE_EVERY_MS = 2000;

/** Maximum length of the JSON text of an answer. */
const MAX_ANSWER_LENGTH = 16 * 1024 * 1024;

/**
 * Makes the servers of this worker available to other processes: stores their states when they
 * change, and executes the commands that other processes store for this worker.
 */
export class FleetMember {
  readonly #options: FleetMemberOptions;
  readonly #saved = new Map<string, { readonly text: string; readonly tools: unknown }>();
  /** Ids of the commands that were begun, until no read can return them. */
  readonly #begun = new Set<string>();
  /** Ids of the begun commands whose answer is stored. */
  readonly #answered = new Set<string>();
  /** Failures of repeated work, by message. */
  readonly #failures = new Map<string, FailureLog>();
  #savedAs: string | undefined;
  /** Id of the worker when the stored settings were last applied. */
  #settledAs: string | undefined;
  #saving: Promise<void> = Promise.resolve();
  #isSaveDue = false;
  #isClosed = false;
  #comparedAt = 0;
  #loop: PollLoop | undefined;

  constructor(options: FleetMemberOptions) {
    this.#options = options;
  }

  /**
   * Applies the stored settings to the servers and stores their states. To be called when this
   * process is a worker, before its servers start.
   */
  async start(): Promise<void> {
    const { pool, bus, clock, workerId } = this.#options;
    this.#settledAs = workerId();
    await this.#applySettings();
    pool.onServerChange(() => void this.#save());
    await this.#save();
    this.#comparedAt = clock.now();
    this.#loop = new PollLoop(clock, bus, () => this.#poll());
  }

  /** Removes the states of this worker. Does not wait for commands in progress. */
  async close(): Promise<void> {
    const { fleet, bus, logger } = this.#options;
    this.#isClosed = true;
    await this.#loop?.close();
    await this.#saving;
    if (this.#savedAs === undefined) return;
    try {
      await fleet.removeStates(this.#savedAs);
      bus.publish({ type: 'servers' });
    } catch (error) {
      logger.error('the states of the servers could not be removed; another worker removes them', {
        error,
      });
    }
  }

  async #poll(): Promise<void> {
    await this.#catchUp();
    await this.#beginCommands();
    const now = this.#options.clock.now();
    if (Math.abs(now - this.#comparedAt) < COMPARE_EVERY_MS) return;
    this.#comparedAt = now;
    await this.#save();
    await this.#repeated('old states of servers could not be removed', () =>
      this.#options.fleet.removeLeftovers(),
    );
  }

  /** Makes up for the commands that this worker missed between the loss of its lease and its new id. */
  async #catchUp(): Promise<void> {
    const { pool, workerId } = this.#options;
    const id = workerId();
    if (id === this.#settledAs) return;
    await this.#repeated('the stored settings of the servers could not be applied', async () => {
      await this.#applySettings();
      for (const { status } of pool.states()) await pool.control(status.name)?.compareWithPins();
      this.#settledAs = id;
    });
  }

  /** Applies the stored settings that differ from the state of their server. */
  async #applySettings(): Promise<void> {
    const { fleet, pool } = this.#options;
    const states = new Map(pool.states().map(({ status }) => [status.name, status]));
    for (const { server, roots, isDrained } of await fleet.settings()) {
      const control = pool.control(server);
      const status = states.get(server);
      if (control === undefined || status === undefined) continue;
      if (roots !== undefined && !isDeepStrictEqual(roots, status.roots))
        await control.setRoots(roots);
      if (isDrained && status.state !== 'drained') await control.drain('graceful');
      if (!isDrained && (status.state === 'drained' || status.state === 'draining'))
        await control.reconnect('graceful');
    }
  }

  /** Begins the stored commands that were not begun before. */
  async #beginCommands(): Promise<void> {
    const { fleet, workerId } = this.#options;
    const answered = [...this.#answered];
    await this.#repeated('the commands to this worker could not be read', async () => {
      for (const request of await fleet.requestsTo(workerId())) {
        if (this.#begun.has(request.id) || this.#isClosed) continue;
        this.#begun.add(request.id);
        void this.#execute(request);
      }
      // A read that began before the answer was stored still returns the command.
      for (const id of answered) {
        this.#begun.delete(id);
        this.#answered.delete(id);
      }
    });
  }

  async #execute(request: FleetRequest): Promise<void> {
    const { fleet, bus } = this.#options;
    const answer = await this.#answer(request);
    try {
      await fleet.answerRequest(request.id, answer);
      // A command whose answer could not be stored is not executed again.
      this.#answered.add(request.id);
      bus.publish({ type: 'servers' });
    } catch (error) {
      this.#report('the answer to a command could not be stored', error);
    }
  }

  async #answer({ server, command }: FleetRequest): Promise<FleetAnswer> {
    const { pool } = this.#options;
    const control = pool.control(server);
    const features = pool.server(server);
    try {
      if (control === undefined || features === undefined)
        throw new ServerUnavailableError(`server ${server} is not configured in a worker`);
      const result = await execute(command, { control, features });
      // The requester reads the states after the answer.
      await this.#save();
      const { length } = JSON.stringify(result);
      if (length > MAX_ANSWER_LENGTH)
        throw new ServerRefusedError(
          `the answer of server ${server} has ${length} characters; at most ${MAX_ANSWER_LENGTH} can be passed on by a worker`,
          { cause: undefined, isNotFound: false },
        );
      return { type: 'result', result };
    } catch (error) {
      return this.#failure(error);
    }
  }

  #failure(error: unknown): FleetAnswer {
    const message = messageOf(error);
    if (error instanceof ServerUnavailableError)
      return { type: 'error', code: 'unavailable', message };
    if (error instanceof ServerRefusedError)
      return { type: 'error', code: error.isNotFound ? 'not_found' : 'refused', message };
    if (error instanceof UnknownToolError)
      return { type: 'error', code: 'unknown_tool', message, tool: error.tool };
    if (error instanceof DefinitionChangedError)
      return { type: 'error', code: 'definition_changed', message };
    this.#report('a command to this worker failed', error);
    return { type: 'error', code: 'internal', message };
  }

  /** Stores the states that changed. Resolves when the states at the time of the call are stored. */
  #save(): Promise<void> {
    if (!this.#isSaveDue) {
      this.#isSaveDue = true;
      this.#saving = this.#saving.then(() => {
        this.#isSaveDue = false;
        return this.#saveNow();
      });
    }
    return this.#saving;
  }

  async #saveNow(): Promise<void> {
    const { fleet, pool, bus } = this.#options;
    if (this.#isClosed) return;
    const workerId = this.#options.workerId();
    if (workerId !== this.#savedAs) this.#saved.clear();
    this.#savedAs = workerId;
    await this.#repeated('the states of the servers could not be stored', async () => {
      let isChanged = false;
      for (const state of pool.states()) {
        const { name } = state.status;
        const text = textOf(state);
        const saved = this.#saved.get(name);
        if (saved?.text === text && saved.tools === state.tools) continue;
        await fleet.saveState(workerId, state);
        this.#saved.set(name, { text, tools: state.tools });
        isChanged = true;
      }
      if (isChanged) bus.publish({ type: 'servers' });
    });
  }

  /** Does work that a later poll does again. A failure is logged when it begins and when it ends. */
  async #repeated(message: string, work: () => Promise<void>): Promise<void> {
    const log = this.#failures.get(message) ?? new FailureLog(this.#options.logger, message);
    this.#failures.set(message, log);
    try {
      await work();
      log.succeeded();
    } catch (error) {
      if (!this.#isClosed) log.failed(error);
    }
  }

  #report(message: string, error: unknown): void {
    if (!this.#isClosed) this.#options.logger.error(message, { error });
  }
}

function textOf({ status, isOffering, capabilities }: ServerState): string {
  return JSON.stringify([status, isOffering, capabilities]);
}

async function execute(
  command: FleetCommand,
  { control, features }: { readonly control: ServerControl; readonly features: ServerFeatures },
): Promise<JsonObject> {
  switch (command.kind) {
    case 'reconnect':
      await control.reconnect(command.mode);
      return {};
    case 'drain':
      await control.drain(command.mode);
      return {};
    case 'set_roots':
      await control.setRoots(command.paths);
      return {};
    case 'compare_with_pins':
      await control.compareWithPins();
      return {};
    case 'approve_tools':
      return { approved: [...(await control.approveTools(command.tools))] };
    default:
      return { value: await read(command, features) };
  }
}

type Read = Extract<
  FleetCommand,
  {
    readonly kind:
      | 'resources'
      | 'resource_templates'
      | 'read_resource'
      | 'prompts'
      | 'get_prompt'
      | 'complete';
  }
>;

function read(command: Read, features: ServerFeatures): Promise<unknown> {
  switch (command.kind) {
    case 'resources':
      return features.resources();
    case 'resource_templates':
      return features.resourceTemplates();
    case 'prompts':
      return features.prompts();
    case 'read_resource':
      return features.readResource(command.uri);
    case 'get_prompt':
      return features.getPrompt(command.name, command.arguments);
    case 'complete':
      return features.complete(command.reference, command.argument, command.chosen);
  }
}
