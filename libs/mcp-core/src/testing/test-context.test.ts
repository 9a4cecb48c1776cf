import { describe, expect, test } from 'vitest';
import { createTestContext } from './test-context.ts';

describe('createTestContext', () => {
  test('records what a handler reports, dropping progress that does not increase', () => {
    const context = createTestContext();
    context.progress({ progress: 1 });
    context.progress({ progress: 1 });
    context.progress({ progress: 2, message: 'two' });
    context.log('info', { a: 1 }, 'main');
    expect(context.progressed).toEqual([{ progress: 1 }, { progress: 2, message: 'two' }]);
    expect(context.logged).toEqual([{ level: 'info', data: { a: 1 }, logger: 'main' }]);
  });

  test('answers what it was given answers for', async () => {
    const context = createTestContext({ elicit: (key) => ({ action: 'accept', content: { key } }), roots: [{ uri: 'file:///a' }] });
    const params = { message: 'x', requestedSchema: {} };
    expect(['elicitation.form', 'roots', 'sampling'].map((capability) => context.client.can(capability as 'roots'))).toEqual([true, true, false]);
    expect(await context.gather({ who: { elicit: params }, where: { listRoots: true } })).toEqual({
      who: { action: 'accept', content: { key: 'who' } },
      where: [{ uri: 'file:///a' }],
    });
    expect(context.asked).toEqual([{ key: 'who', params }]);
  });

  test('refuses the rest as a client without the capability does', async () => {
    const context = createTestContext();
    await expect(context.elicit('a', { message: 'x', requestedSchema: {} })).rejects.toMatchObject({ code: -32021 });
    await expect(context.sample('a', { messages: [], maxTokens: 1 })).rejects.toMatchObject({ code: -32021 });
    await expect(context.listRoots()).rejects.toMatchObject({ code: -32021 });
  });

  test('runs an effect once for a key', async () => {
    const context = createTestContext();
    let runs = 0;
    await context.once('a', () => (runs += 1));
    expect([await context.once('a', () => (runs += 1)), runs]).toEqual([1, 1]);
  });
});
