import type { JsonObject } from '@signalbox/mcp-core';
import { v7 } from 'uuid';
import type { Clock } from '../ports/clock.ts';
import {
  DefinitionChangedError,
  ServerRefusedError,
  ServerUnavailableError,
  UnknownToolError,
} from '../ports/server-directory.ts';
import type { SignalBus } from '../ports/signal-bus.ts';
import type { FleetAnswer, FleetCommand, FleetRequest, FleetStore } from '../ports/store/fleet.ts';
import { changeOf } from './stored-catalogue.ts';
import { noWorker } from './stored-servers.ts';

export interface FleetRequesterOptions {
  readonly fleet: FleetStore;
  readonly bus: SignalBus;
  readonly clock: Clock;
}

/** Milliseconds within which a worker must answer: more than a request to a server may take. */
const ANSWER_LIMIT_MS = 130_000;

/** Milliseconds between two reads of an answer. */
const POLL_EVERY_MS = 1000;

/** Stores commands for workers and waits for the answers. */
export class FleetRequester {
  readonly #options: FleetRequesterOptions;

  constructor(options: FleetRequesterOptions) {
    this.#options = options;
  }

  /**
   * Resolves with the result of one worker.
   * @throws ServerUnavailableError when the worker ends or does not answer in time, and the errors
   * of the command
   */
  async one(workerId: string, server: string, command: FleetCommand): Promise<JsonObject> {
    const request = { id: v7(), workerId, server, command };
    const [answer] = await this.#answers([request]);
    if (answer === undefined)
      throw new ServerUnavailableError(
        `the worker ${workerId} ended before it answered for server ${server}; try again`,
      );
    return resultOf(server, answer);
  }

  /**
   * Resolves when every worker, or all but one, has executed the command. Workers that end
   * meanwhile do not count.
   * @throws ServerUnavailableError without a worker, and the errors of the command
   */
  async every(
    server: string,
    command: FleetCommand,
    { except }: { readonly except?: string } = {},
  ): Promise<void> {
    const workers = await this.#options.fleet.workers();
    if (workers.length === 0) throw noWorker();
    const requests = workers
      .filter(({ id }) => id !== except)
      .map(({ id }) => ({ id: v7(), workerId: id, server, command }));
    const answers = await this.#answers(requests);
    for (const answer of answers) if (answer !== undefined) resultOf(server, answer);
  }

  /** Returns an answer for each request; undefined for a worker that has ended. */
  async #answers(requests: readonly FleetRequest[]): Promise<readonly (FleetAnswer | undefined)[]> {
    const { fleet, bus } = this.#options;
    if (requests.length === 0) return [];
    await fleet.addRequests(requests, ANSWER_LIMIT_MS);
    bus.publish({ type: 'servers' });
    try {
      return await Promise.all(requests.map((request) => this.#answer(request)));
    } finally {
      // A command that stays expires, and the workers remove it.
      await fleet.removeRequests(requests.map(({ id }) => id)).catch(() => undefined);
    }
  }

  async #answer({ id, workerId, server }: FleetRequest): Promise<FleetAnswer | undefined> {
    const { fleet, bus, clock } = this.#options;
    const until = clock.now() + ANSWER_LIMIT_MS;
    for (;;) {
      const isAlive = (await fleet.workers()).some((worker) => worker.id === workerId);
      const answer = await fleet.answerTo(id);
      if (answer !== undefined || !isAlive) return answer;
      if (clock.now() >= until)
        throw new ServerUnavailableError(
          `the worker ${workerId} did not answer for server ${server} within ${ANSWER_LIMIT_MS / 1000} s`,
        );
      await changeOf(bus, clock, POLL_EVERY_MS);
    }
  }
}

/** Returns the result of an answer, or throws the error that the worker caught. */
function resultOf(server: string, answer: FleetAnswer): JsonObject {
  if (answer.type === 'result') return answer.result;
  const { code, message, tool = '' } = answer;
  switch (code) {
    case 'unavailable':
      throw new ServerUnavailableError(message);
    case 'refused':
    case 'not_found':
      throw new ServerRefusedError(message, { cause: undefined, isNotFound: code === 'not_found' });
    case 'unknown_tool':
      throw new UnknownToolError(server, tool);
    case 'definition_changed':
      throw new DefinitionChangedError(message);
    case 'internal':
      throw new Error(message);
  }
}
