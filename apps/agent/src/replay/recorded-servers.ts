import { canonicalJson } from '@signalbox/mcp-core';
import type { StoredCatalogue } from '../ports/store/epoch.ts';
import type { ToolCall } from '../ports/store/tool-call.ts';
import type { CatalogueTool, ServerStatus } from '../ports/tool-catalogue.ts';
import type {
  CallReservation,
  ToolCallOutcome,
  ToolCallRequest,
  ToolDispatcher,
} from '../ports/tool-dispatcher.ts';
import { FIND_TOOLS } from '../run/discovery/find-tools.ts';
import type { Recording } from './recording.ts';
import type { ReplayState } from './replay-state.ts';

/** Tool registry with the tools and results of the recording. Connects to nothing. */
export class RecordedServers implements ToolDispatcher {
  readonly #recording: Recording;
  readonly #state: ReplayState;
  readonly #answered = new Set<ToolCall>();

  constructor(recording: Recording, state: ReplayState) {
    this.#recording = recording;
    this.#state = state;
  }

  start(): void {
    // Nothing to connect.
  }

  settled(): Promise<void> {
    return Promise.resolve();
  }

  useLogins(): Promise<void> {
    return Promise.resolve();
  }

  servers(): readonly ServerStatus[] {
    const { epoch, run } = this.#recording;
    const toolsChange = epoch.tools.some(({ name }) => name === FIND_TOOLS);
    return Object.keys(epoch.policies).map((name) => ({
      ...READY,
      name,
      toolsChange,
      since: run.createdAt,
    }));
  }

  tools(servers?: readonly string[]): readonly CatalogueTool[] {
    const catalogue = this.#recording.catalogues.findLast((each) => isReached(each, this.#state));
    return (catalogue?.tools ?? []).filter(({ server }) => servers?.includes(server) ?? true);
  }

  find(wireName: string): CatalogueTool | undefined {
    return this.tools().find((tool) => tool.wireName === wireName);
  }

  whyNotOffered(): undefined {
    return undefined;
  }

  isQuarantined(): boolean {
    return false;
  }

  async checkArguments(): Promise<undefined> {
    return undefined;
  }

  reserve(): Promise<CallReservation> {
    return Promise.resolve({ call: (request) => this.call(request), release: () => undefined });
  }

  call({ wireName, arguments: args }: ToolCallRequest): Promise<ToolCallOutcome> {
    const text = canonicalJson(args);
    const recorded = this.#recording.calls.find(
      (call) =>
        !this.#answered.has(call) &&
        call.attempt > 0 &&
        call.wireName === wireName &&
        canonicalJson(call.arguments) === text,
    );
    if (recorded === undefined) {
      this.#state.differ(
        `turn ${this.#state.turn - 1}: ${wireName} is called with ${text.slice(0, 200)}, but not in the recorded run`,
      );
      return new Promise(() => undefined);
    }
    this.#answered.add(recorded);
    return this.#outcomeOf(recorded);
  }

  onServerChange(): void {
    // Server states do not change here.
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #outcomeOf({ state, result, error = 'its answer was lost' }: ToolCall): Promise<ToolCallOutcome> {
    switch (state) {
      case 'succeeded':
      case 'failed':
        return Promise.resolve(
          result === undefined ? { type: 'error', message: error } : { type: 'result', result },
        );
      case 'unknown':
        return Promise.resolve({ type: 'lost', message: error });
      case 'cancelled':
        if (this.#recording.run.status === 'cancelled' || this.#recording.run.status === 'expired')
          break;
        return Promise.resolve({ type: 'cancelled', level: 'confirmed' });
      case 'planned':
      case 'awaiting_approval':
      case 'dispatched':
      case 'input_required':
      case 'working':
    }
    this.#state.stop();
    return new Promise(() => undefined);
  }
}

const READY = {
  state: 'ready',
  transport: 'stdio',
  breaker: { state: 'closed', failures: 0 },
  toolCount: 0,
  quarantined: [],
  roots: [],
  warnings: [],
  connections: [],
  waiting: [],
  restarts: 0,
} as const;

function isReached(catalogue: StoredCatalogue, { turn, point }: ReplayState): boolean {
  return (
    catalogue.turn < turn ||
    (catalogue.turn === turn && (catalogue.point === 'begin' || point === 'plan'))
  );
}
