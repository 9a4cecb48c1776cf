import { describe, expect, test } from 'vitest';
import { createTestContext } from './test-context.ts';

describe('createTestContext', () => {
  test('records the reports of a handler, dropping progress that does not increase', () => {
    const context = createTestContext();
    context.progress({ progress: 1 });
    context.progress({ progress: 1 });
    context.progress({ progress: 2, message: 'two' });
    context.log('info', { a: 1 }, 'main');
    expect(context.progressed).toEqual([{ progress: 1 }, { progress: 2, message: 'two' }]);
    expect(context.logged).toEqual([{ level: 'info', data: { a: 1 }, logger: 'main' }]);
  });

  test('drops reports and refuses input requests after the cancellation, as a server does', async () => {
    const cancel = new AbortController();
    const context = createTestContext({
      signal: cancel.signal,
      elicit: () => ({ action: 'decline' }),
    });
    cancel.abort(new Error('cancelled'));
    context.progress({ progress: 1 });
    context.log('info', 'late');
    await expect(context.elicit('a', { message: 'x', requestedSchema: {} })).rejects.toThrow(
      'cancelled',
    );
    const { progressed, logged, inputRequests } = context;
    expect({ progressed, logged, inputRequests }).toEqual({
      progressed: [],
      logged: [],
      inputRequests: [],
    });
  });

  test('responds as configured', async () => {
    const context = createTestContext({
      elicit: (key) => ({ action: 'accept', content: { key } }),
      roots: [{ uri: 'file:///a' }],
    });
    const params = { message: 'x', requestedSchema: {} };
    expect(
      ['elicitation.form', 'roots', 'sampling'].map((capability) =>
        context.client.can(capability as 'roots'),
      ),
    ).toEqual([true, true, false]);
    expect(await context.gather({ who: { elicit: params }, where: { listRoots: true } })).toEqual({
      who: { action: 'accept', content: { key: 'who' } },
      where: [{ uri: 'file:///a' }],
    });
    expect(context.inputRequests).toEqual([{ key: 'who', params }]);
  });

  test('refuses other input requests as a client without the capability does', async () => {
    const context = createTestContext();
    await expect(context.elicit('a', { message: 'x', requestedSchema: {} })).rejects.toMatchObject({
      code: -32021,
    });
    await expect(context.sample('a', { messages: [], maxTokens: 1 })).rejects.toMatchObject({
      code: -32021,
    });
    await expect(context.listRoots()).rejects.toMatchObject({ code: -32021 });
  });

  test('runs an effect once for a key', async () => {
    const context = createTestContext();
    let runs = 0;
    await context.once('a', () => (runs += 1));
    expect([await context.once('a', () => (runs += 1)), runs]).toEqual([1, 1]);
  });

  test.each(['legacy', 'modern'] as const)(
    'has no capability that its options do not declare (%s)',
    (era) => {
      const answer = {
        elicit: () => ({ action: 'decline' as const }),
        sample: () => ({
          role: 'assistant' as const,
          content: { type: 'text' as const, text: '' },
          model: 'm',
        }),
      };
      const plain = createTestContext({ era, ...answer });
      const can = (context: typeof plain) =>
        (
          [
            'elicitation',
            'elicitation.form',
            'elicitation.url',
            'sampling',
            'sampling.tools',
            'sampling.context',
            'roots',
            'tasks',
          ] as const
        ).filter((capability) => context.client.can(capability));
      expect(can(plain)).toEqual(['elicitation', 'elicitation.form', 'sampling']);
      const capable = createTestContext({
        era,
        ...answer,
        capabilities: { elicitationUrl: true, samplingTools: true, samplingContext: true },
      });
      expect(can(capable)).toEqual([
        'elicitation',
        'elicitation.form',
        'elicitation.url',
        'sampling',
        'sampling.tools',
        'sampling.context',
      ]);
    },
  );

  test('refuses input requests that the client did not declare', async () => {
    const context = createTestContext({
      elicit: () => ({ action: 'accept' }),
      sample: () => ({ role: 'assistant', content: { type: 'text', text: '' }, model: 'm' }),
    });
    await expect(
      context.elicit('a', { mode: 'url', message: 'x', url: 'https://example.org' }),
    ).rejects.toMatchObject({ code: -32021 });
    await expect(
      context.sample('a', { messages: [], maxTokens: 1, tools: [] }),
    ).rejects.toMatchObject({ code: -32021 });
    expect(context.inputRequests).toEqual([]);
  });

  test('refuses a response that does not fit the form, as a legacy session does', async () => {
    const context = createTestContext({
      elicit: () => ({ action: 'accept', content: { age: 'old' } }),
    });
    const requestedSchema = {
      type: 'object',
      properties: { age: { type: 'integer' } },
      required: ['age'],
    } as const;
    await expect(context.elicit('who', { message: 'Age?', requestedSchema })).rejects.toMatchObject(
      {
        code: -32602,
        message: expect.stringContaining(
          'The client\'s response to "who" does not fit its form',
        ) as string,
      },
    );
  });
});
