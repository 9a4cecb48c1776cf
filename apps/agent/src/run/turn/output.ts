import { isPlainObject } from '../../json/plain-object.ts';
import type { Run, RunCore } from '../../ports/store/run.ts';
import type { Turn } from './begin-turn.ts';
import type { Change } from '../core/commits.ts';
import { endRun } from '../lifecycle/end-run.ts';
import type { Uses } from '../core/engine-parts.ts';

export interface FinalAnswer {
  readonly run: RunCore;
  readonly turn: Turn;
  /** Text of the last message. */
  readonly answer: string;
  /** Result of the check against the output schema of the run, if it has one. */
  readonly checked: CheckedOutput | undefined;
}

export interface CheckedOutput {
  /** Answer parsed as JSON. */
  readonly output: unknown;
  /** Problems of the answer; empty when it matches. */
  readonly problems: readonly string[];
}

/**
 * Checks an answer against the output schema. This takes up to half a second, so it happens before
 * the transaction.
 */
export async function checkOutput(
  { outputs }: Uses<'outputs'>,
  { outputSchema }: Run,
  answer: string,
): Promise<CheckedOutput | undefined> {
  if (outputSchema === undefined) return undefined;
  const output = outputOf(answer);
  return {
    output,
    problems:
      output === undefined
        ? ['the answer is not one JSON object and nothing else']
        : await outputs.problems(outputSchema, output),
  };
}

/**
 * Ends a run with its answer. An answer that does not match the output schema is requested once
 * more, with its problems; then the run fails.
 */
export async function finishAnswer(
  context: Uses<'enqueue' | 'bus' | 'clock' | 'newId'>,
  change: Change,
  { run, turn, answer, checked }: FinalAnswer,
): Promise<void> {
  if (checked === undefined) return endRun(context, change, { status: 'completed', answer });
  const { output, problems } = checked;
  if (problems.length === 0)
    return endRun(context, change, { status: 'completed', answer, output });
  change.emit({
    type: 'turn.output_rejected',
    data: { turn: turn.number, message_id: turn.messageId, problems },
  });
  if (run.repairedTurn !== undefined) {
    const message = `The answer does not fit the output schema of the run, nor did the one before: ${problems.join('; ')}`;
    return endRun(context, change, {
      status: 'failed',
      error: { code: 'invalid_output', message },
    });
  }
  const text = `[Note of the service, not of the user: this answer does not fit the schema.\n${problems.map((problem) => `- ${problem}`).join('\n')}\nGive the whole answer again as one JSON object that fits it, and nothing else.]`;
  await change.sql.insertMessage(run.id, {
    id: context.newId(),
    turn: turn.number,
    role: 'user',
    content: [{ type: 'text', text }],
  });
  await change.sql.updateRun(run.id, { repairedTurn: turn.number });
}

/** Parses the answer. Models often put JSON into a code fence, whatever their instructions. */
function outputOf(answer: string): unknown {
  const [, fenced] = /^\s*```(?:json)?\s*\n(.*)\n\s*```\s*$/s.exec(answer) ?? [];
  try {
    const value: unknown = JSON.parse(fenced ?? answer);
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
