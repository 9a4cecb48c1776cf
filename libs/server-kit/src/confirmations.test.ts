import { createTestContext, runInBothEras } from '@signalbox/mcp-core/testing';
import { defineTool } from '@signalbox/mcp-core/server';
import { describe, expect, test } from 'vitest';
import { Confirmations, type DestructiveStep } from './confirmations.ts';

const step: DestructiveStep = {
  tool: 'wipe',
  arguments: { path: 'a', deep: { y: 1, x: [2] } },
  impact: 'All 3 files in a would be lost.',
};

async function tokenFor(confirmations: Confirmations, asked = step): Promise<string> {
  const error = await confirmations.confirm(createTestContext(), asked).then(
    () => undefined,
    (reason: unknown) => reason as Error,
  );
  return /"confirmToken": "([\w-]+)"/.exec(error?.message ?? '')?.[1] ?? 'none';
}

describe('a client with elicitation', () => {
  test.each([
    ['accepts', { action: 'accept', content: { confirm: true } }, undefined],
    ['accepts without agreeing', { action: 'accept', content: { confirm: false } }, 'declined'],
    ['accepts without saying anything', { action: 'accept' }, 'does not fit its form'],
    ['declines', { action: 'decline' }, 'declined'],
    ['goes away', { action: 'cancel' }, 'did not answer'],
  ] as const)('%s', async (_what, answer, problem) => {
    const context = createTestContext({ elicit: () => Promise.resolve(answer) });
    const outcome = await new Confirmations().confirm(context, step).then(
      () => undefined,
      (error: unknown) => (error as Error).message,
    );
    expect(outcome ?? '').toContain(problem ?? '');
    expect(outcome === undefined).toBe(problem === undefined);
    expect(context.inputRequests).toMatchObject([{ params: { message: step.impact } }]);
  });

  test('gets an elicitation in both eras, and the step happens once', async () => {
    const { effects } = await runInBothEras(
      () => {
        const confirmations = new Confirmations();
        let wiped = 0;
        const tool = defineTool({
          name: 'wipe',
          description: 'wipe',
          inputSchema: { type: 'object', properties: {}, additionalProperties: false },
          annotations: {
            readOnlyHint: false,
            destructiveHint: true,
            idempotentHint: false,
            openWorldHint: false,
          },
          handler: async (_args, context) => {
            await confirmations.confirm(context, step);
            wiped++;
            return { structuredContent: { wiped } };
          },
        });
        return { tool, effects: () => wiped };
      },
      {
        arguments: {},
        handlers: {
          elicit: () => Promise.resolve({ action: 'accept', content: { confirm: true } }),
        },
      },
    );
    expect(effects).toBe(1);
  });
});

test('a call confirms several steps in sequence, in both eras', async () => {
  const { effects } = await runInBothEras(
    () => {
      const confirmations = new Confirmations();
      const impacts: string[] = [];
      const tool = defineTool({
        name: 'wipe',
        description: 'wipe',
        inputSchema: { type: 'object', properties: {}, additionalProperties: false },
        annotations: {
          readOnlyHint: false,
          destructiveHint: true,
          idempotentHint: false,
          openWorldHint: false,
        },
        handler: async (_args, context) => {
          for (const impact of ['First.', 'Second.', 'Third.'])
            await confirmations.confirm(context, { ...step, impact });
          impacts.push('wiped');
          return { structuredContent: {} };
        },
      });
      return { tool, effects: () => impacts };
    },
    {
      arguments: {},
      handlers: { elicit: () => Promise.resolve({ action: 'accept', content: { confirm: true } }) },
    },
  );
  expect(effects).toEqual(['wiped']);
});

describe('a client without elicitation', () => {
  test('gets a token for each step of a call, which counts for the steps before it too', async () => {
    const confirmations = new Confirmations();
    const call = async (confirmToken?: string): Promise<string> => {
      const context = createTestContext();
      try {
        for (const impact of ['First.', 'Second.']) {
          await confirmations.confirm(context, {
            ...step,
            impact,
            ...(confirmToken === undefined ? {} : { confirmToken }),
          });
        }
        return 'wiped';
      } catch (error) {
        return (error as Error).message;
      }
    };
    const tokenIn = (message: string): string =>
      /"confirmToken": "([\w-]+)"/.exec(message)?.[1] ?? 'none';
    const first = await call();
    expect(first).toMatch(/^First\. /);
    const second = await call(tokenIn(first));
    expect(second).toMatch(/^Second\. /);
    expect(await call(tokenIn(second))).toBe('wiped');
    expect(await call(tokenIn(second))).toContain('not valid for these arguments');
  });

  test('gets a token that lets the very same call through, once', async () => {
    const confirmations = new Confirmations();
    const confirmToken = await tokenFor(confirmations);
    // The order of the members does not matter.
    await confirmations.confirm(createTestContext(), {
      ...step,
      arguments: { deep: { x: [2], y: 1 }, path: 'a' },
      confirmToken,
    });
    await expect(
      confirmations.confirm(createTestContext(), { ...step, confirmToken }),
    ).rejects.toThrow('not valid for these arguments');
  });

  test('gets the impact and that nothing was changed', async () => {
    await expect(new Confirmations().confirm(createTestContext(), step)).rejects.toThrow(
      'All 3 files in a would be lost. Nothing was done yet.',
    );
  });

  test.each([
    ['other arguments', { ...step, arguments: { path: 'b' } }],
    ['another tool', { ...step, tool: 'erase' }],
  ])('cannot use a token for %s, nor afterwards', async (_what, other) => {
    const confirmations = new Confirmations();
    const confirmToken = await tokenFor(confirmations);
    await expect(
      confirmations.confirm(createTestContext(), { ...other, confirmToken }),
    ).rejects.toThrow('not valid');
    await expect(
      confirmations.confirm(createTestContext(), { ...step, confirmToken }),
    ).rejects.toThrow('not valid');
  });

  test('cannot make up a token', async () => {
    await expect(
      new Confirmations().confirm(createTestContext(), { ...step, confirmToken: 'made-up' }),
    ).rejects.toThrow('not valid');
  });

  test('cannot use a token that has expired, or the oldest of more than a thousand', async () => {
    let now = 0;
    const confirmations = new Confirmations({ tokenMs: 100, now: () => now });
    const late = await tokenFor(confirmations);
    now = 100;
    await expect(
      confirmations.confirm(createTestContext(), { ...step, confirmToken: late }),
    ).rejects.toThrow('expired');
    const oldest = await tokenFor(confirmations);
    for (let token = 0; token < 1000; token++) await tokenFor(confirmations);
    await expect(
      confirmations.confirm(createTestContext(), { ...step, confirmToken: oldest }),
    ).rejects.toThrow('not valid');
  });
});

describe('the policy', () => {
  test.each([
    ['auto', false, true],
    ['auto', true, false],
    ['always', false, true],
    ['always', true, true],
    ['never', false, false],
    ['never', true, false],
  ] as const)(
    '%s: a step that is routine (%s) is confirmed: %s',
    async (policy, isRoutine, isConfirmed) => {
      const outcome = new Confirmations({ policy }).confirm(createTestContext(), {
        ...step,
        isRoutine,
      });
      expect(
        await outcome.then(
          () => false,
          () => true,
        ),
      ).toBe(isConfirmed);
    },
  );
});
