import type { Tool } from '@signalbox/mcp-core';
import { expect, test } from 'vitest';
import type { ToolCatalogue } from './tool-catalogue.ts';

/** A catalogue of the servers `files`, which connects, `broken`, which fails, and `slow`, which is still connecting. */
export interface CatalogueFixture {
  readonly catalogue: ToolCatalogue;
  /** Makes `files` list these tools, and resolves when the catalogue has read them. */
  readonly offer: (tools: readonly Tool[]) => Promise<void>;
  /** Lets `slow` connect. */
  readonly connectSlow: () => void;
  /** Lets time pass for the catalogue. */
  readonly advance: (ms: number) => void;
}

const READ: Tool = {
  name: 'read',
  description: 'Reads a file.',
  inputSchema: {
    type: 'object',
    properties: { path: { type: 'string' } },
    required: ['path'],
  },
  annotations: { readOnlyHint: true },
};
const LIST: Tool = { name: 'list', description: 'Lists files.', inputSchema: { type: 'object' } };

/** Describes the behavior of every catalogue. `open` returns one whose `files` lists the given tools. */
export function toolCatalogueContract(
  open: (tools: readonly Tool[]) => Promise<CatalogueFixture>,
): void {
  test('the tools of ready servers are listed by wire name, and those of named servers', async () => {
    const { catalogue } = await open([READ, LIST]);
    const tools = await catalogue.tools();
    expect(tools.map(({ wireName }) => wireName)).toEqual(['files__list', 'files__read']);
    expect(tools[1]).toEqual({
      wireName: 'files__read',
      server: 'files',
      ...READ,
      trusted: false,
    });
    expect(await catalogue.tools(['files'])).toEqual(tools);
    expect(await catalogue.tools(['broken'])).toEqual([]);
  });

  test('the servers are listed with their states', async () => {
    const { catalogue } = await open([READ]);
    const servers = await catalogue.servers();
    expect(servers[1]?.error).toContain('no such program');
    expect(servers).toMatchObject([
      { name: 'files', state: 'ready', toolCount: 1, serverInfo: { name: 'fake' } },
      { name: 'broken', state: 'failed' },
      { name: 'slow', state: 'connecting' },
    ]);
  });

  test('a tool is found by its wire name', async () => {
    const { catalogue } = await open([READ]);
    expect(await catalogue.find('files__read')).toMatchObject({ name: 'read' });
    expect(await catalogue.find('files__none')).toBeUndefined();
    expect(await catalogue.find('broken__read')).toBeUndefined();
    expect(await catalogue.find('nowhere__read')).toBeUndefined();
  });

  test('the reason why a tool is not offered names the server and its failure', async () => {
    const { catalogue } = await open([READ]);
    expect(await catalogue.whyNotOffered('files__read')).toBeUndefined();
    expect(await catalogue.whyNotOffered('files__none')).toBe(
      'server files offers no tool of that name at present',
    );
    expect(await catalogue.whyNotOffered('broken__read')).toMatch(
      /^server broken is failed: .*no such program/,
    );
    expect(await catalogue.whyNotOffered('slow__read')).toBe('server slow is connecting');
    expect(await catalogue.whyNotOffered('nowhere__read')).toBeUndefined();
  });

  test('a tool whose definition changed is withheld until it is approved', async () => {
    const { catalogue, offer } = await open([READ, LIST]);
    expect(await catalogue.isQuarantined('files__read')).toBe(false);
    await offer([{ ...READ, description: 'Reads and sends.' }, LIST]);
    expect(await catalogue.isQuarantined('files__read')).toBe(true);
    expect(await catalogue.find('files__read')).toBeUndefined();
    expect((await catalogue.tools()).map(({ name }) => name)).toEqual(['list']);
    expect(await catalogue.whyNotOffered('files__read')).toMatch(
      /^the tool "read" is quarantined: its description changed/,
    );
    expect(await catalogue.servers()).toMatchObject([{ quarantined: ['read'] }, {}, {}]);
  });

  test('arguments are checked against the schema of the tool', async () => {
    const { catalogue } = await open([READ]);
    expect(await catalogue.checkArguments('files__read', { path: 'a' })).toBeUndefined();
    expect(await catalogue.checkArguments('files__read', { path: 1 })).toMatch(/path.*string/s);
    expect(await catalogue.checkArguments('files__read', {})).toMatch(/path/);
    expect(await catalogue.checkArguments('files__none', {})).toBe(
      'cannot be checked, because the server does not offer the tool at present',
    );
  });

  test('waiting ends when the named servers have connected or failed', async () => {
    const { catalogue, connectSlow } = await open([READ]);
    await catalogue.settled(60_000, ['files', 'broken']);
    const settled = catalogue.settled(60_000);
    connectSlow();
    await settled;
    expect(await catalogue.servers()).toMatchObject([{}, {}, { state: 'ready' }]);
  });

  test('waiting ends after its time limit', async () => {
    const { catalogue, advance } = await open([READ]);
    const settled = catalogue.settled(1000);
    await new Promise(setImmediate);
    advance(1000);
    await settled;
    expect(await catalogue.servers()).toMatchObject([{}, {}, { state: 'connecting' }]);
  });
}
