import { afterAll, beforeAll, describe, test } from 'vitest';
import type { OpenCell, Opened, Pair } from './cell.ts';
import { type FeatureName, features } from './features/index.ts';

/** A pair with the features it lacks. */
export interface Cell extends Pair {
  /** Era negotiation of the client, where it is configurable. */
  readonly negotiation?: string;
  /** Reasons why features are not run. */
  readonly without: { readonly [Name in FeatureName]?: string };
  readonly open: () => Promise<Opened>;
}

/** The report's data of a test, with the reasons for the features that its cell lacks. */
export interface MatrixMeta {
  readonly cell: string;
  readonly feature: FeatureName;
  readonly without: Cell['without'];
}

declare module 'vitest' {
  interface TaskMeta {
    matrix?: MatrixMeta;
  }
}

const LIBRARIES = { ours: 'our', v1: 'SDK v1', v2: 'SDK v2' } as const;

/** Runs every feature in every cell, one after the other with the same client. */
export function runCells(cells: readonly Cell[]): void {
  for (const cell of cells) {
    describe(nameOf(cell), () => {
      runCell(cell);
    });
  }
}

export function nameOf({ client, server, wire, era, negotiation }: Cell): string {
  return `${LIBRARIES[client]} client, ${LIBRARIES[server]} server, ${wire} ${era}${negotiation === undefined ? '' : ` (${negotiation})`}`;
}

function runCell(cell: Cell): void {
  let opened: Opened;
  let running: OpenCell;
  beforeAll(async () => {
    opened = await cell.open();
    const { connect, requests = [], forgetSessions = noSessions } = opened;
    running = { ...cell, face: await connect(), connect, requests, forgetSessions };
  });
  afterAll(async () => {
    await running.face.close();
    await opened.close();
  });

  const { without } = cell;
  for (const [name, feature] of Object.entries(features)) {
    // The entries of the table have its names.
    const meta = {
      matrix: { cell: nameOf(cell), feature: name as FeatureName, without } satisfies MatrixMeta,
    };
    if (without[name as FeatureName] === undefined) test(name, { meta }, () => feature(running));
  }
}

function noSessions(): void {
  throw new Error('There are no sessions here to forget');
}
