/** Resolves with the error of a promise that must fail. Handles the rejection at once, however late it is awaited. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  const value = await promise.then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  if ('error' in value) return value.error;
  throw new Error(`the promise resolved with ${JSON.stringify(value.result)}`);
}
