import type { JsonObject } from '@signalbox/mcp-core';
import type { ToolSpec } from '../llm-provider.ts';
import type { CatalogueTool } from '../tool-catalogue.ts';

/**
 * Common beginning of the model calls of a run. Constant until the next user message, since models
 * bind their thinking to it and providers cache it.
 */
export interface Epoch {
  readonly runId: string;
  /** SHA-256 of `system` and `tools` in hex. Runs with the same beginning share an epoch. */
  readonly id: string;
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  /** Approval policy of each server's tools at the start of the epoch. */
  readonly policies: { readonly [server: string]: JsonObject };
}

/** Tools that a run can use from one point on. */
export interface StoredCatalogue {
  readonly turn: number;
  /**
   * `begin`: before the model call of the turn, whose prompt names the changes; `plan`: after it,
   * when its tool calls are planned.
   */
  readonly point: 'begin' | 'plan';
  readonly tools: readonly CatalogueTool[];
}

export interface EpochReader {
  epoch(runId: string): Promise<Epoch | undefined>;
  /** Returns the stored catalogues in order, one for each point at which the tools changed. */
  catalogues(runId: string): Promise<readonly StoredCatalogue[]>;
  /** Returns the latest catalogue, optionally of one kind of point. */
  lastCatalogue(
    runId: string,
    point?: StoredCatalogue['point'],
  ): Promise<StoredCatalogue | undefined>;
  /** Whether the latest catalogue, optionally of one kind of point, has exactly these tools. */
  isLastCatalogue(
    runId: string,
    tools: readonly CatalogueTool[],
    point?: StoredCatalogue['point'],
  ): Promise<boolean>;
}

export interface EpochWriter {
  /** Stores the epoch with its tools. Tools that are deleted as unused at the same time are kept or stored again. */
  insertEpoch(epoch: Epoch): Promise<void>;
  insertCatalogue(runId: string, catalogue: StoredCatalogue): Promise<void>;
}
