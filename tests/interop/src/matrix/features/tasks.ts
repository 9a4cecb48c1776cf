import { expect, vi } from 'vitest';
import { stateOf } from '../client-face.ts';
import type { Feature } from './feature.ts';

/** Tasks of 2025-11-25. */
export const tasks = {
  'waits for a call that becomes a task': async ({ face }) => {
    const created = Promise.withResolvers<string>();
    const call = face.callAsTask?.('toil', created.resolve);
    await Promise.race([created.promise, call]);
    await vi.waitFor(
      async () => {
        await face.callTool('release');
        expect(
          await Promise.race([call, new Promise((resolve) => setTimeout(resolve, 200))]),
        ).toMatchObject({
          result: { content: [{ type: 'text', text: 'toiled' }] },
          statuses: expect.arrayContaining(['working']) as string[],
        });
      },
      { timeout: 10_000 },
    );
  },
  'cancels a task': async ({ face, server }) => {
    const { aborted } = await stateOf(face);
    const created = Promise.withResolvers<string>();
    const outcome = face.callAsTask?.('toil', created.resolve).catch((error: unknown) => error);
    await face.cancelTask?.(await created.promise);
    expect(await outcome).toBeInstanceOf(Error);
    if (server === 'ours')
      await vi.waitFor(async () => expect((await stateOf(face)).aborted).toBe(aborted + 1), {
        timeout: 10_000,
      });
  },
} as const satisfies { readonly [name: string]: Feature };
