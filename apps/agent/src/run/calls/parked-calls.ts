import { ErrorCode, ProtocolError } from '@signalbox/mcp-core';
import type { InputRound, InputRoundStore } from '@signalbox/mcp-core/client';
import { SENT_CALL_STATES, type ToolCall } from '../../ports/store/tool-call.ts';
import { isHandedOver, type Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';
import { isOurs, moveCall, resumeCall, workOnCall } from '../ledger/call-states.ts';

/**
 * Maximum number of characters of the input requests of one round and the server's state, as JSON.
 */
const MAX_ROUND_CHARACTERS = 1024 * 1024;
/** Longest id of a task that is stored, in characters. */
const MAX_TASK_ID_CHARACTERS = 1024;
/** Delay before a parked call resumes after its connection was lost, in milliseconds. */
export const RESUME_AFTER_MS = 1000;

/**
 * Whether any worker can continue a sent call: its server waits for input responses, or works on it
 * as a task.
 */
export function isParked(call: ToolCall): boolean {
  return (
    SENT_CALL_STATES.includes(call.state) &&
    (call.parked !== undefined || call.taskId !== undefined)
  );
}

/** Stores the rounds of input requests of one attempt in the row of the call. */
export class StoredInputRounds implements InputRoundStore {
  readonly #context: Uses<'workerId' | 'commit'>;
  readonly #call: ToolCall;
  #round: number;

  constructor(context: Uses<'workerId' | 'commit'>, call: ToolCall) {
    this.#context = context;
    this.#call = call;
    this.#round = call.parked?.round ?? 0;
  }

  /** Returns the key of an input request of this round, unique within the call. */
  keyOf(key: string): string {
    return `${this.#round}:${key}`;
  }

  async save(inputRound: InputRound): Promise<void> {
    this.#round += 1;
    const parked = { round: this.#round, ...inputRound };
    if (JSON.stringify(parked).length > MAX_ROUND_CHARACTERS)
      throw new ProtocolError(
        ErrorCode.invalidParams,
        `The input requests of one round may have at most ${MAX_ROUND_CHARACTERS} characters.`,
      );
    await this.#context.commit(
      this.#call.runId,
      async ({ sql }) => {
        const { id, attempt, owner } = this.#call;
        if (owner !== this.#context.workerId) throw ended();
        if (!(await moveCall(sql, { id, attempt, owner }, { transition: 'park', parked })))
          throw ended();
      },
      'keep-round',
    );
  }

  /** Marks the call as sent: the effect of the responses is unknown until the server answers. */
  discard(): Promise<void> {
    const { id, runId } = this.#call;
    return this.#context.commit(
      runId,
      async (change) => {
        const call = await change.sql.toolCall(id);
        if (
          !isOurs(this.#context, this.#call, call) ||
          (call.state !== 'dispatched' && call.state !== 'input_required')
        )
          throw ended();
        await resumeCall(change, call, { parked: undefined, owner: this.#context.workerId });
      },
      'resume-call',
    );
  }
}

/**
 * Stores that the call became a task. Only logs a failed write, because the call continues. Does
 * not store an id longer than 1,024 characters; no other process can then continue the task.
 */
export async function storeTask(
  context: Uses<'workerId' | 'logger' | 'commit'>,
  dispatched: ToolCall,
  taskId: string,
): Promise<void> {
  const { id, runId } = dispatched;
  if (taskId.length > MAX_TASK_ID_CHARACTERS) {
    context.logger.warn('a task is not stored: its id is too long', {
      call_id: id,
      characters: taskId.length,
    });
    return;
  }
  try {
    await context.commit(
      runId,
      async (change) => {
        const call = await change.sql.toolCall(id);
        if (
          isOurs(context, dispatched, call) &&
          call.state === 'dispatched' &&
          call.taskId !== taskId
        )
          await workOnCall(change, call, taskId);
      },
      'keep-task',
    );
  } catch (error) {
    if (!isHandedOver(error))
      context.logger.error('a task could not be stored', { call_id: id, error });
  }
}

/** Releases a parked call, for any worker to continue after a delay. Its inbox items hold the responses. */
export async function resumeLater(
  context: Uses<'enqueue' | 'clock'>,
  change: Change,
  { call: { id, attempt }, delayMs }: { readonly call: ToolCall; readonly delayMs: number },
): Promise<void> {
  const dueAt = context.clock.now() + delayMs;
  await moveCall(change.sql, { id, attempt }, { transition: 'release', owner: undefined, dueAt });
  change.afterCommit(() => context.enqueue({ type: 'call-tool', callId: id }, { delayMs }));
}

function ended(): ProtocolError {
  return new ProtocolError(
    ErrorCode.rejectedByUser,
    'The call of this input request is being stopped.',
  );
}
