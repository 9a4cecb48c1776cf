import { LlmError } from '../../ports/llm-provider.ts';

/** Returns the `LlmError` that the work rejects with. Anything else fails the test. */
export async function failure(work: Promise<unknown>): Promise<LlmError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof LlmError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
