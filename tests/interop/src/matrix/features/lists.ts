import { expect } from 'vitest';
import {
  BYTES,
  BYTES_URI,
  CITY_TEMPLATE,
  CLOCK_URI,
  ICON,
  INSTRUCTIONS,
  RIVER_TEMPLATE,
} from '../world.ts';
import type { Feature } from './feature.ts';

const TOOLS = [
  'add',
  'ask',
  'ask_all',
  'burst',
  'change',
  'count',
  'echo',
  'fail',
  'hold',
  'lose_connection',
  'media',
  'release',
  'shout',
  'state',
  'step_away',
  'think',
  'touch',
  'visit',
  'where',
];

/** Connecting, listing and reading. */
export const lists = {
  'identifies itself': async ({ face, server, client, era, wire }) => {
    expect(face.server).toMatchObject({
      info: { name: server, version: '1.2.3' },
      instructions: INSTRUCTIONS,
    });
    expect(face.server.capabilities).toMatchObject({
      tools: {},
      prompts: {},
      completions: {},
      logging: {},
    });
    // Without a session no change can be announced; the official servers declare it nevertheless.
    const subscribes = server === 'ours' && wire === 'http-stateless' ? {} : { subscribe: true };
    expect(face.server.capabilities).toMatchObject({ resources: subscribes });
    // SDK v1 exposes its version over Streamable HTTP only.
    if (client !== 'v1' || face.server.version !== undefined)
      expect(face.server.version).toBe(era === 'modern' ? '2026-07-28' : '2025-11-25');
    expect(face.server.info).toMatchObject({ title: expect.stringMatching(/server/iu) as string });
  },
  'lists every tool': async ({ face, server, era }) => {
    const tools = await face.listTools();
    const names = tools.map(({ name }) => String(name)).toSorted();
    expect(names.filter((name) => name !== 'toil')).toEqual(TOOLS);
    const add = tools.find(({ name }) => name === 'add');
    expect(add).toMatchObject({
      title: 'Addition',
      inputSchema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a', 'b'] },
      outputSchema: { type: 'object', properties: { sum: { type: 'number' } } },
      annotations: {
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
    });
    // SDK v1 cannot declare icons.
    if (server !== 'v1') expect(add?.icons).toEqual([ICON]);
    if (server === 'ours' && era === 'legacy')
      expect(tools.find(({ name }) => name === 'toil')).toMatchObject({
        execution: { taskSupport: 'optional' },
      });
  },
  'lists resources': async ({ face }) => {
    const resources = await face.listResources();
    expect(resources.toSorted((a, b) => (String(a.uri) < String(b.uri) ? -1 : 1))).toMatchObject([
      { uri: BYTES_URI, name: 'bytes', mimeType: 'application/octet-stream' },
      { uri: CLOCK_URI, name: 'clock', title: 'The clock', mimeType: 'text/plain' },
    ]);
  },
  'lists templates on two pages': async ({ face }) => {
    expect(await face.listTemplates()).toMatchObject([
      { uriTemplate: CITY_TEMPLATE, name: 'city', mimeType: 'text/plain' },
      { uriTemplate: RIVER_TEMPLATE, name: 'river' },
    ]);
  },
  'reads a text': async ({ face }) => {
    expect(await face.readResource(CLOCK_URI)).toEqual([
      { uri: CLOCK_URI, mimeType: 'text/plain', text: 'noon' },
    ]);
  },
  'reads bytes': async ({ face }) => {
    expect(await face.readResource(BYTES_URI)).toEqual([
      { uri: BYTES_URI, mimeType: 'application/octet-stream', blob: BYTES },
    ]);
  },
  'reads through a template': async ({ face }) => {
    expect(await face.readResource('world://city/Bern')).toMatchObject([
      { uri: 'world://city/Bern', text: 'Welcome to Bern' },
    ]);
  },
  'refuses an unknown resource': async ({ face, server, client, era }) => {
    const ours = era === 'modern' ? -32602 : -32002;
    // SDK v2 returns the modern code in both eras; official servers have either.
    const code =
      server === 'ours' && client === 'v1' ? ours : (expect.toBeOneOf([-32602, -32002]) as number);
    await expect(face.readResource('world://nowhere')).rejects.toMatchObject({ code });
  },
  'lists prompts': async ({ face }) => {
    const prompts = await face.listPrompts();
    expect(prompts.toSorted((a, b) => (String(a.name) < String(b.name) ? -1 : 1))).toMatchObject([
      { name: 'bare' },
      {
        name: 'greet',
        title: 'Greeting',
        description: 'Greets someone',
        arguments: [{ name: 'name', description: 'Who', required: true }, { name: 'language' }],
      },
    ]);
  },
  'gets a prompt': async ({ face }) => {
    expect(await face.getPrompt('greet', { name: 'Ada' })).toMatchObject({
      description: 'A greeting',
      messages: [{ role: 'user', content: { type: 'text', text: 'Hello Ada' } }],
    });
    expect(await face.getPrompt('bare')).toMatchObject({
      messages: [{ role: 'assistant', content: { text: 'Bare' } }],
    });
  },
  'refuses an unknown prompt': async ({ face }) => {
    await expect(face.getPrompt('absent')).rejects.toMatchObject({ code: -32602 });
  },
  'completes arguments': async ({ face }) => {
    const city = { values: ['Bergen', 'Berlin', 'Bern'], hasMore: false };
    expect(
      await face.complete({ type: 'ref/prompt', name: 'greet' }, { name: 'name', value: 'Ber' }),
    ).toMatchObject(city);
    expect(
      await face.complete(
        { type: 'ref/resource', uri: CITY_TEMPLATE },
        { name: 'name', value: 'Ber' },
      ),
    ).toMatchObject(city);
    const withChosen = await face.complete(
      { type: 'ref/prompt', name: 'greet' },
      { name: 'language', value: 'en' },
      { name: 'Ada' },
    );
    expect(withChosen).toMatchObject({ values: ['Ada en'] });
  },
  'responds to a ping': async ({ face }) => {
    await face.ping();
  },
} as const satisfies { readonly [name: string]: Feature };
