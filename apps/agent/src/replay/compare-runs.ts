import { firstDifference, type Difference } from '../json/first-difference.ts';
import type { ToolCall } from '../ports/store/tool-call.ts';
import type { Decisions } from './recording.ts';

/**
 * Returns the first decision of a replayed run that differs, in words, or undefined. For a stopped
 * run only planned calls are compared.
 */
export function compareRuns(
  recorded: Decisions,
  replayed: Decisions,
  isStopped: boolean,
): string | undefined {
  return (
    compareCalls(recorded, replayed, isStopped) ??
    (isStopped
      ? undefined
      : (compareMessages(recorded, replayed) ?? compareEnds(recorded, replayed)))
  );
}

function compareCalls(
  recorded: Decisions,
  replayed: Decisions,
  isStopped: boolean,
): string | undefined {
  const count = Math.max(recorded.calls.length, replayed.calls.length);
  for (let at = 0; at < count; at += 1) {
    const [left, right] = [recorded.calls[at], replayed.calls[at]];
    const place = placeOf(left ?? right);
    if (right === undefined) return `${place}: is not planned`;
    if (left === undefined || left.turn !== right.turn || left.position !== right.position)
      return `${placeOf(right)}: was not planned`;
    const difference = firstDifferentDecision(
      decisionsOf(recorded, left, isStopped),
      decisionsOf(replayed, right, isStopped),
    );
    if (difference !== undefined) return `${place}: ${describe(difference)}`;
  }
  return undefined;
}

function firstDifferentDecision(left: Decided, right: Decided): Difference | undefined {
  for (const name of Object.keys(left)) {
    const difference = firstDifference(left[name], right[name], name);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

type Decided = { readonly [name: string]: unknown };

/** Returns decisions in their order. */
function decisionsOf({ events }: Decisions, call: ToolCall, isStopped: boolean): Decided {
  const planned = events.find(
    (event) => event.type === 'tool_call.planned' && event.data.call_id === call.id,
  );
  const approvals = events.filter(
    (event) => event.type === 'tool_call.approved' && event.data.call_id === call.id,
  );
  return {
    name: call.wireName,
    server: call.server,
    tool: call.tool,
    planned_arguments: planned?.type === 'tool_call.planned' ? planned.data.arguments : undefined,
    decision: planned?.type === 'tool_call.planned' ? planned.data.decision : undefined,
    repeatable: call.repeatable,
    ...(isStopped
      ? {}
      : {
          approvals: approvals.map((event) =>
            event.type === 'tool_call.approved'
              ? { is_edited: event.data.is_edited, remember: event.data.remember }
              : {},
          ),
          arguments: call.arguments,
          state: call.state,
        }),
  };
}

/** Compares the results that the model read. */
function compareMessages(recorded: Decisions, replayed: Decisions): string | undefined {
  for (const call of recorded.calls) {
    if (call.attempt === 0 || call.state === 'cancelled') continue;
    const difference = firstDifference(resultOf(recorded, call), resultOf(replayed, call));
    if (difference !== undefined)
      return `${placeOf(call)}: the model receives a different result: ${describe(difference)}`;
  }
  return undefined;
}

function resultOf({ messages }: Decisions, { turn, toolUseId }: ToolCall): unknown {
  const answers = messages
    .filter((message) => message.turn === turn && message.role === 'user')
    .flatMap(({ content }) => content);
  return answers.find((block) => block.type === 'tool_result' && block.toolUseId === toolUseId);
}

function compareEnds(
  { run: recorded }: Decisions,
  { run: replayed }: Decisions,
): string | undefined {
  const end = ({
    status,
    statusReason,
    turns,
    toolCalls,
    answer,
    output,
    error,
  }: typeof recorded): object => ({
    status,
    status_reason: statusReason,
    turns,
    tool_calls: toolCalls,
    answer,
    output,
    error_code: error?.code,
  });
  const difference = firstDifference(end(recorded), end(replayed));
  return difference === undefined ? undefined : `the outcome: ${describe(difference)}`;
}

function placeOf(call: ToolCall | undefined): string {
  return call === undefined
    ? 'the run'
    : `turn ${call.turn}, call ${call.position + 1} (${call.wireName})`;
}

function describe({ path, left, right }: Difference): string {
  return `${path} was ${left ?? 'absent'} and is ${right ?? 'absent'}`;
}
