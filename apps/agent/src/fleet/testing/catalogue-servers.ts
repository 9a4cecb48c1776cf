import type { Tool } from '@signalbox/mcp-core';
import { vi } from 'vitest';
import { FakeServer } from '../../mcp/testing/fake-server.ts';
import { poolOf, type PoolFixture } from '../../mcp/testing/pool-fixture.ts';
import type { ServerPoolOptions } from '../../mcp/server-pool.ts';
import type { ToolCatalogue } from '../../ports/tool-catalogue.ts';

/** The servers of the contract of catalogues, in one process. */
export interface CatalogueServers extends PoolFixture {
  readonly files: FakeServer;
  readonly start: () => void;
  readonly offer: (tools: readonly Tool[]) => void;
  readonly connectSlow: () => void;
}

/** Creates a pool of the servers `files`, `broken` and `slow`. */
export function catalogueServers(
  tools: readonly Tool[],
  rest: Pick<ServerPoolOptions, 'pins'> = {},
): CatalogueServers {
  const files = new FakeServer(...tools);
  const broken = new FakeServer();
  broken.launchPlan.push(...Array.from({ length: 100 }, () => new Error('no such program')));
  const slow = new FakeServer();
  slow.launchPlan.push('hang');
  const fixture = poolOf({ files, broken, slow }, {}, rest);
  return {
    ...fixture,
    files,
    start: () => fixture.pool.start(),
    offer(next) {
      files.tools = next;
      files.changeTools();
      fixture.clock.advance(1);
    },
    connectSlow: () => void fixture.pool.control('slow')?.reconnect('now'),
  };
}

/** Resolves when the check no longer throws. */
export function eventually(check: () => void | Promise<void>): Promise<void> {
  return vi.waitFor(check, { interval: 2 });
}

/** Resolves when the catalogue shows that `files` has connected and `broken` has failed. */
export async function connected(catalogue: ToolCatalogue): Promise<void> {
  await eventually(async () => {
    const [files, broken] = await catalogue.servers();
    if (files?.state !== 'ready' || broken?.state !== 'failed')
      throw new Error(`files is ${files?.state} and broken is ${broken?.state}`);
  });
}

/** Resolves when the catalogue shows that a tool of `files` changed. */
export async function changed(catalogue: ToolCatalogue): Promise<void> {
  await eventually(async () => {
    const [files] = await catalogue.servers();
    if (files?.quarantined.length === 0) throw new Error('no tool has changed');
  });
}
