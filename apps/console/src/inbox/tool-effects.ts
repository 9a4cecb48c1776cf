import type { Tone } from '../ui/badge.tsx';

/** An effect of a tool in a few words. */
export interface ToolEffect {
  readonly text: string;
  readonly tone: Tone;
}

/**
 * Returns the effects that the annotations of a tool claim. A hint that is absent has the default of the specification, which is the
 * worse case.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations
 */
export function toolEffects(annotations: {
  readonly [name: string]: unknown;
}): readonly ToolEffect[] {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
  const reach: readonly ToolEffect[] =
    openWorldHint === false ? [] : [{ text: 'Reaches other systems', tone: 'neutral' }];
  if (readOnlyHint === true) return [{ text: 'Reads only', tone: 'good' }, ...reach];
  return [
    destructiveHint === false
      ? { text: 'Adds or changes data', tone: 'warn' }
      : { text: 'May delete or overwrite data', tone: 'bad' },
    idempotentHint === true
      ? { text: 'Repeating it has no further effect', tone: 'neutral' }
      : { text: 'Repeating it has its effect again', tone: 'neutral' },
    ...reach,
  ];
}
