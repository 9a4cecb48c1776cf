import { describe, expect, test } from 'vitest';
import { agentRequest, collect, finishOf, textOf, userText } from './testing/collect.ts';
import { startFakeServer } from './testing/fake-wire.ts';
import { connect, WIRES } from './testing/provider-kinds.ts';

const LONG = {
  name: 'files__read',
  description: 'Reads. '.repeat(300),
  inputSchema: { type: 'object' },
};

describe.each(WIRES)('$api', (kind) => {
  test('knows any model of its catalogue and of the configuration, by id and by alias', async () => {
    await using server = await startFakeServer(kind.wire);
    const provider = connect(kind, server, {
      config: { models: { own: { aliases: ['smart'], context_tokens: 9000 } } },
    });
    const known = kind.provider === 'openai' ? 'gpt-4.1-mini' : 'claude-opus-5';
    expect(provider.card(known)?.contextTokens).toBeGreaterThan(100_000);
    expect(provider.card('smart')).toMatchObject({ id: 'own', contextTokens: 9000 });
    expect(provider.card('unheard-of')).toMatchObject({
      id: 'unheard-of',
      assumed: ['contextTokens', 'maxOutputTokens'],
      price: undefined,
    });
  });

  test('receives the model id for an alias, and its own native items in later requests', async () => {
    await using server = await startFakeServer(kind.wire);
    const provider = connect(kind, server, {
      config: { models: { [kind.model]: { aliases: ['smart'] } } },
    });
    server.replies.push({ turn: { reasoning: 'Hm.', text: 'one' } }, { turn: { text: 'two' } });
    const first = finishOf(
      await collect(provider, agentRequest([userText('Go')], { model: 'smart' })),
    );
    expect(first.message.native?.model ?? kind.model).toBe(kind.model);
    const second = finishOf(
      await collect(
        provider,
        agentRequest([userText('Go'), first.message, userText('On')], { model: 'smart' }),
      ),
    );
    expect(textOf(second.message)).toBe('two');
    expect(server.seen.map(({ body }) => body['model'])).toEqual([kind.model, kind.model]);
  });

  test('receives tool descriptions within the length limit of its API', async () => {
    await using server = await startFakeServer(kind.wire);
    server.replies.push({ turn: { text: 'ok' } }, { turn: { text: 'ok' } });
    await collect(connect(kind, server), agentRequest([userText('Go')], { tools: [LONG] }));
    await collect(
      connect(kind, server, { config: { toolDescriptionCharacters: 100 } }),
      agentRequest([userText('Go')], { tools: [LONG] }),
    );
    const [usual, short] = server.seen.map(({ body }) => JSON.stringify(body['tools']));
    expect(usual?.includes(LONG.description)).toBe(kind.api !== 'chat');
    expect(usual?.includes(`${LONG.description.slice(0, 1023)}…`)).toBe(kind.api === 'chat');
    expect(short).toContain(`"${LONG.description.slice(0, 99)}…"`);
  });
});
