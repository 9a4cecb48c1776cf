import { ErrorCode, ProtocolError } from '@signalbox/mcp-core';
import type { InputRound, InputRoundStore } from '@signalbox/mcp-core/client';
import { SENT_CALL_STATES, type ToolCall } from '../../ports/run-store.ts';
import { isShutdown, type Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';
import { moveCall, resumeCall, workOnCall } from '../ledger/call-states.ts';

/** What a server may ask in one round, with its state, as JSON. */
const MAX_ROUND_CHARACTERS = 1024 * 1024;
/** Before a call whose connection was lost while it waited goes on. */
export const RESUME_AFTER_MS = 1000;

/** Whether a call that was sent can go on in any process: the server does nothing for it until it is answered, or works on it as a task. */
export function isParked(call: ToolCall): boolean {
  return (
    SENT_CALL_STATES.includes(call.state) &&
    (call.parked !== undefined || call.taskId !== undefined)
  );
}

/** Keeps the rounds of questions of one attempt of a call in its row of the ledger. */
export class RoundKeeper implements InputRoundStore {
  readonly #context: Uses<'bootId' | 'commit'>;
  readonly #call: ToolCall;
  #round: number;

  constructor(context: Uses<'bootId' | 'commit'>, call: ToolCall) {
    this.#context = context;
    this.#call = call;
    this.#round = call.parked?.round ?? 0;
  }

  /** Names a question of this round within its call. */
  keyOf(key: string): string {
    return `${this.#round}:${key}`;
  }

  async save(inputRound: InputRound): Promise<void> {
    this.#round += 1;
    const parked = { round: this.#round, ...inputRound };
    if (JSON.stringify(parked).length > MAX_ROUND_CHARACTERS)
      throw new ProtocolError(
        ErrorCode.invalidParams,
        `The server asked more than ${MAX_ROUND_CHARACTERS} characters at once.`,
      );
    await this.#context.commit(
      this.#call.runId,
      async ({ sql }) => {
        const { id, attempt } = this.#call;
        if (!(await moveCall(sql, { id, attempt }, { transition: 'park', parked }))) throw ended();
      },
      'keep-round',
    );
  }

  /** From here on the call is as good as sent: whether its answers have an effect is not known before it is answered. */
  discard(): Promise<void> {
    const { id, runId, attempt } = this.#call;
    return this.#context.commit(
      runId,
      async (change) => {
        const call = await change.sql.toolCall(id);
        if (
          call?.attempt !== attempt ||
          (call.state !== 'dispatched' && call.state !== 'input_required')
        )
          throw ended();
        await resumeCall(change, call, { parked: undefined, owner: this.#context.bootId });
      },
      'resume-call',
    );
  }
}

/** Stores that the call became a task; what fails is logged, for the call goes on. */
export async function keepTask(
  context: Uses<'logger' | 'commit'>,
  { id, runId, attempt }: ToolCall,
  taskId: string,
): Promise<void> {
  try {
    await context.commit(
      runId,
      async (change) => {
        const call = await change.sql.toolCall(id);
        if (call?.state === 'dispatched' && call.attempt === attempt && call.taskId !== taskId)
          await workOnCall(change, call, taskId);
      },
      'keep-task',
    );
  } catch (error) {
    if (!isShutdown(error))
      context.logger.error('a task could not be stored', { call_id: id, error });
  }
}

/** Lets a parked call go on: its questions are found again, and answered by what their inbox items say. */
export function resumeLater(
  context: Uses<'enqueue'>,
  change: Change,
  { call, delayMs }: { readonly call: ToolCall; readonly delayMs: number },
): void {
  change.afterCommit(() => context.enqueue({ type: 'call-tool', callId: call.id }, delayMs));
}

function ended(): ProtocolError {
  return new ProtocolError(ErrorCode.rejectedByUser, 'The call that asks is being stopped.');
}
