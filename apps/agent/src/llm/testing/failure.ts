import { LlmError } from '../../ports/llm-provider.ts';

/** The `LlmError` that the work ends with; anything else fails the test. */
export async function failure(work: Promise<unknown>): Promise<LlmError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof LlmError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
