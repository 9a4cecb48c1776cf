import type { JsonObject } from '@signalbox/mcp-core';
import type { ToolSpec } from './llm-provider.ts';
import type { CatalogueTool } from './tool-registry.ts';

/** What every model call of a run begins with. It stays as it is until the next message of the user: models bind their thinking to it, and providers cache it. */
export interface Epoch {
  readonly runId: string;
  /** SHA-256 of `system` and `tools` in hex: runs with the same beginning are of one epoch. */
  readonly id: string;
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  /** How the calls of each server's tools were decided when the epoch began. */
  readonly policies: { readonly [server: string]: JsonObject };
}

/** The tools that a run could use from some point on. */
export interface StoredCatalogue {
  readonly turn: number;
  /** `begin`: before the model call of the turn, when the model is told of changes; `plan`: after it, when its tool calls are planned. */
  readonly point: 'begin' | 'plan';
  readonly tools: readonly CatalogueTool[];
}

export interface EpochReader {
  epoch(runId: string): Promise<Epoch | undefined>;
  /** In order; one for each point at which the tools were others than before. */
  catalogues(runId: string): Promise<readonly StoredCatalogue[]>;
  /** The last of them, of one kind of point when given. */
  lastCatalogue(
    runId: string,
    point?: StoredCatalogue['point'],
  ): Promise<StoredCatalogue | undefined>;
  /** Whether the last of them, of one kind of point when given, has exactly these tools. */
  isLastCatalogue(
    runId: string,
    tools: readonly CatalogueTool[],
    point?: StoredCatalogue['point'],
  ): Promise<boolean>;
}

export interface EpochWriter {
  insertEpoch(epoch: Epoch): Promise<void>;
  insertCatalogue(runId: string, catalogue: StoredCatalogue): Promise<void>;
}
