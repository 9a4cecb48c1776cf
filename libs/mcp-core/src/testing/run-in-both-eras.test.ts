import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { InteractiveContext } from '../server/requests/request-context.ts';
import type { ToolDefinition } from '../server/tools/tool.ts';
import { runInBothEras, type ToolUnderTest } from './run-in-both-eras.ts';

const annotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: false,
};
const form = {
  message: 'Sure?',
  requestedSchema: {
    type: 'object',
    properties: { sure: { type: 'boolean' } },
    required: ['sure'],
  },
} as const;
const handlers = {
  elicit: () => Promise.resolve({ action: 'accept' as const, content: { sure: true } }),
};

function toolWith(
  run: (context: InteractiveContext, mails: string[]) => Promise<unknown>,
): () => ToolUnderTest {
  return () => {
    const mails: string[] = [];
    const tool: ToolDefinition = {
      name: 'send',
      description: 'Sends a mail.',
      inputSchema: { type: 'object' },
      annotations,
      handler: async (_args, context) => ({
        structuredContent: { value: await run(context, mails) },
      }),
    };
    return { tool, effects: () => mails };
  };
}

describe('runInBothEras', () => {
  test('returns the result and the effects of a well-behaved tool', async () => {
    const tool = toolWith(async (context, mails) => {
      await context.once('draft', () => mails.push('draft'));
      const { content } = await context.elicit('sure', form);
      mails.push('sent');
      return content;
    });
    expect(await runInBothEras(tool, { handlers })).toMatchObject({
      result: { structuredContent: { value: { sure: true } } },
      effects: ['draft', 'sent'],
    });
  });

  test('fails when an effect before an input request is not inside once', async () => {
    const tool = toolWith(async (context, mails) => {
      mails.push('draft');
      await context.elicit('sure', form);
    });
    await expect(runInBothEras(tool, { handlers })).rejects.toThrow(
      /effects of the tool differ[\s\S]*once/u,
    );
  });

  test('fails when the results differ', async () => {
    await expect(runInBothEras(toolWith(() => Promise.resolve(randomUUID())))).rejects.toThrow(
      'result of the tool differ',
    );
  });
});
