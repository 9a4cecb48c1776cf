import type { InputLimits } from '../text-field.tsx';
import type { JsonSchema } from './field-kind.ts';

/** Returns the limits of a schema for a text or a number that a browser can check. */
export function inputLimits(
  schema: JsonSchema,
  { isInteger }: { readonly isInteger: boolean },
): InputLimits {
  const limits: { [name in keyof InputLimits]: number | 'any' | undefined } = {
    minLength: numberIn(schema['minLength']),
    maxLength: numberIn(schema['maxLength']),
    min: numberIn(schema['minimum']),
    max: numberIn(schema['maximum']),
    // A step is counted from the minimum: with one, the browser would reject numbers between the steps.
    step: isInteger && Number.isInteger(schema['minimum'] ?? 0) ? 1 : 'any',
  };
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}

/** Returns the limits of a schema as a text for a person, such as `1 to 10`, or undefined. */
export function describeLimits(schema: JsonSchema): string | undefined {
  const parts = [
    range(
      schema['minimum'] ?? schema['exclusiveMinimum'],
      schema['maximum'] ?? schema['exclusiveMaximum'],
      '',
    ),
    range(schema['minLength'], schema['maxLength'], ' characters'),
    range(schema['minItems'], schema['maxItems'], ' entries'),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(', ');
}

function range(lowest: unknown, highest: unknown, unit: string): string | undefined {
  const least = numberIn(lowest);
  const most = numberIn(highest);
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`;
  if (least !== undefined) return `at least ${least}${unit}`;
  return most === undefined ? undefined : `at most ${most}${unit}`;
}

function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
