import type { JsonSchema } from '../protocol/tools.ts';
import { quickCheck, type QuickProblem } from './quick-check.ts';

/** Evaluates schemas that a peer wrote, which may be made to take for ever. */
export interface SchemaEvaluator {
  /**
   * What is wrong with a value, one sentence each; empty when it conforms. Throws, or rejects with, an Error that says why the schema cannot be used; nothing
   * is known of the value then.
   */
  check(schema: JsonSchema, value: unknown): readonly string[] | Promise<readonly string[]>;
}

/** About 50 ms. */
const MAX_STEPS = 1_000_000;

/**
 * Evaluates in this process, in bounded time. Schemas that need a regular expression, more than a million steps or one of the rarer keywords cannot be used.
 * `format` is an annotation.
 * @see https://json-schema.org/draft/2020-12/json-schema-validation#section-7.2.1
 */
export const inProcessEvaluator: SchemaEvaluator = {
  check: (schema, value) => {
    const verdict = quickCheck(schema, value, MAX_STEPS);
    switch (verdict) {
      case 'fits':
        return [];
      case 'keyword':
        throw new Error('It is invalid, refers to what is not in it, or has a keyword that is not evaluated in this process, such as pattern');
      case 'long':
        throw new Error('Its evaluation takes too long for this process');
      default:
        return [toSentence(verdict)];
    }
  },
};

function toSentence({ path, text }: QuickProblem): string {
  const place = path.reduce<string>((before, step) => (typeof step === 'number' ? `${before}[${String(step)}]` : before === '' ? step : `${before}.${step}`), '');
  return `${place === '' ? 'The value' : `"${place}"`} ${text}.`;
}
