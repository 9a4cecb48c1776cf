import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { connectClient } from '@signalbox/mcp-core/client';
import { spawnStdio } from '@signalbox/mcp-core/stdio';
import { thirdPartyServers } from '../../../peers/src/official-servers.ts';
import { compileCache } from '../support/compile-cache.ts';

export type ThirdParty = keyof typeof thirdPartyServers;

/** The lists that a release of a server sends to a client of ours that talks to it directly. */
export interface Listing {
  readonly version: string;
  readonly tools: readonly string[];
}

export type Listings = { readonly [Name in ThirdParty]: Listing };

export const LISTINGS_FILE = join(import.meta.dirname, 'direct-listings.json');

/** The listings that `node record-listings.ts` wrote: to start each server once more in each test run costs seconds. */
export function recordedListings(): Listings {
  return JSON.parse(readFileSync(LISTINGS_FILE, 'utf8')) as Listings;
}

/** Version of the installed package that has the entry. */
export function installedVersion(name: ThirdParty): string {
  for (let folder = dirname(thirdPartyServers[name]); ; folder = dirname(folder))
    try {
      const text = readFileSync(join(folder, 'package.json'), 'utf8');
      const { version } = JSON.parse(text) as { readonly version?: string };
      if (version !== undefined) return version;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
}

/** Starts the server, lists its tools and ends it. */
export async function directListing(name: ThirdParty): Promise<Listing> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-listing-'));
  const args = [thirdPartyServers[name], ...(name === 'filesystem' ? [folder] : [])];
  const env = {
    ...compileCache,
    NOTION_TOKEN: 'ntn_of-the-test',
    MEMORY_FILE_PATH: join(folder, 'memory.json'),
  };
  const handlers = {
    elicit: () => Promise.resolve({ action: 'decline' as const }),
    sample: () => Promise.reject(new Error('no model here')),
  };
  const client = await connectClient(() => spawnStdio({ command: 'node', args, env }), {
    info: { name: 'direct', version: '1.0.0' },
    // What the service declares while no roots are set.
    capabilities: { elicitationUrl: true, samplingTools: true },
    handlers,
  });
  const tools = await client.listTools();
  await client.close();
  await rm(folder, { recursive: true });
  return { version: installedVersion(name), tools: tools.map((tool) => tool.name) };
}
