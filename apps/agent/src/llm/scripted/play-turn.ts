import type { LlmEvent, StopReason } from '../../ports/llm-provider.ts';
import { callId } from './call-id.ts';
import type { Choice } from './choose-turn.ts';
import { renderInput, renderText } from './render.ts';
import type { ToolEmit } from './scenario.ts';
import type { Scope } from './template.ts';

type Chosen = Extract<Choice, { type: 'turn' }>;
type Delta = Exclude<LlmEvent, { type: 'start' | 'finish' | 'warning' }>;

export interface PlayedTurn {
  readonly deltas: readonly Delta[];
  readonly stop: StopReason;
}

/** Yields the events of one turn, with text split into small deltas by a fixed rule. */
export function playTurn(chosen: Chosen, scope: Scope, ordinal: number): PlayedTurn {
  const deltas: Delta[] = [];
  let calls = 0;
  for (const [emit, one] of chosen.turn.emit.entries()) {
    if ('reasoning' in one)
      deltas.push(
        ...words(renderText(one.reasoning, scope)).map(
          (delta) => ({ type: 'reasoning', delta }) as const,
        ),
      );
    else if ('text' in one) deltas.push(...textDeltas(renderText(one.text, scope)));
    else {
      const call = callDeltas(one, {
        scope,
        index: calls,
        id: callId({ scenario: chosen.scenario.name, turn: chosen.index, emit, ordinal }),
      });
      if (call.some(({ type }) => type === 'tool_start')) calls += 1;
      deltas.push(...call);
    }
  }
  return { deltas, stop: chosen.turn.stop ?? (calls > 0 ? 'tool_use' : 'end') };
}

export function textDeltas(text: string): Delta[] {
  return words(text).map((delta) => ({ type: 'text', delta }));
}

function callDeltas(
  call: ToolEmit,
  place: { readonly scope: Scope; readonly index: number; readonly id: string },
): Delta[] {
  const rendered = renderInput(call.input, place.scope);
  if (!rendered.ok) {
    return textDeltas(
      `The script stops here: ${call.tool} cannot be called, because the earlier results hold no ${rendered.missing.join(', ')}.`,
    );
  }
  const text = call.rawInput ?? JSON.stringify(rendered.input);
  const start: Delta = { type: 'tool_start', index: place.index, id: place.id, name: call.tool };
  return [
    start,
    ...(text.match(/.{1,24}/gsu) ?? []).map((delta): Delta => ({
      type: 'tool_arguments',
      index: place.index,
      delta,
    })),
  ];
}

function words(text: string): readonly string[] {
  return text.match(/\s*\S{1,24}|\s+$/gu) ?? [];
}
