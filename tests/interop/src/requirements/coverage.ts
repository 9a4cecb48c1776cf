import type { Era } from '@signalbox/mcp-core';
import type { Proof } from './proves.ts';
import { eraOf, type Level, type Requirement, type Side, type Wire } from './requirement.ts';

/** A unit of proof: a rule for one side, in one era, on one wire. */
export interface Cell extends Proof {
  readonly level: Level;
}

/** A known gap. Without side, era or wire it covers all of the rule's. */
export interface Gap {
  readonly requirements: readonly string[];
  readonly side?: Side;
  readonly era?: Era;
  readonly wire?: Wire | 'any';
  readonly reason: string;
}

export interface Coverage {
  /** Number of proved cells, by era and wire. */
  readonly rows: readonly CoverageRow[];
  /** Violations; empty when every MUST is proved or a known gap. */
  readonly problems: readonly string[];
  /** Rules of level SHOULD without a proof. */
  readonly unprovedShould: readonly string[];
}

export interface CoverageRow {
  readonly era: Era;
  readonly wire: Wire | 'any';
  readonly must: Count;
  readonly should: Count;
}

export interface Count {
  readonly proved: number;
  readonly total: number;
}

const WIRES = ['stdio', 'http', 'legacy-sse', 'any'] as const;

/** Compares the required cells with the proofs. */
export function coverageOf(
  requirements: { readonly [id: string]: Requirement },
  proofs: readonly Proof[],
  gaps: readonly Gap[],
): Coverage {
  const cells = Object.entries(requirements).flatMap(([id, requirement]) =>
    cellsOf(id, requirement),
  );
  const isProved = provedCells(proofs, requirements);
  const unproved = cells.filter((cell) => !isProved(cell));
  const isKnown = (cell: Cell): boolean => gaps.some((gap) => stands(gap, cell));
  const problems = [
    ...proofs
      .filter((proof) => !isDemanded(proof, requirements))
      .map((proof) => `a test proves ${nameOf(proof)}, which the table does not demand`),
    ...missing(unproved.filter((cell) => cell.level === 'MUST' && !isKnown(cell))),
    ...gaps.flatMap((gap) => gapProblems(gap, cells, unproved)),
  ];
  const rows = (['legacy', 'modern'] as const).flatMap((era) =>
    WIRES.map((wire) => rowOf({ era, wire }, cells, isProved)),
  );
  return {
    rows: rows.filter((row) => row.must.total + row.should.total > 0),
    problems: [...new Set(problems)],
    unprovedShould: unproved.filter((cell) => cell.level === 'SHOULD').map(nameOf),
  };
}

/** Returns a line for each rule. */
function missing(cells: readonly Cell[]): readonly string[] {
  const byRule = Map.groupBy(cells, ({ requirement }) => requirement);
  return [...byRule].map(
    ([id, own]) =>
      `MUST without a proof: ${id} (${own.map(({ side, era, wire }) => `${side} ${era} ${wire}`).join(', ')})`,
  );
}

function cellsOf(id: string, { level, sides, versions, on, review }: Requirement): readonly Cell[] {
  if (review !== undefined) return [];
  const wires = on === 'any' ? (['any'] as const) : on;
  return sides.flatMap((side) =>
    [...new Set(versions.map(eraOf))].flatMap((era) =>
      wires.map((wire) => ({ requirement: id, side, era, wire, level })),
    ),
  );
}

/** Returns the proved cells. A rule on any wire is proved by a proof on some wire. */
function provedCells(
  proofs: readonly Proof[],
  requirements: { readonly [id: string]: Requirement },
): (cell: Proof) => boolean {
  const proved = new Set(
    proofs.flatMap((proof) =>
      requirements[proof.requirement]?.on === 'any'
        ? [nameOf({ ...proof, wire: 'any' })]
        : [nameOf(proof)],
    ),
  );
  return (cell) => proved.has(nameOf(cell));
}

function isDemanded(
  { requirement: id, side, era, wire }: Proof,
  requirements: { readonly [id: string]: Requirement },
): boolean {
  const requirement = requirements[id];
  if (requirement === undefined || requirement.review !== undefined) return false;
  const isOnWire = requirement.on === 'any' || (wire !== 'any' && requirement.on.includes(wire));
  return (
    isOnWire &&
    requirement.sides.includes(side) &&
    requirement.versions.some((version) => eraOf(version) === era)
  );
}

function gapProblems(
  gap: Gap,
  cells: readonly Cell[],
  unproved: readonly Cell[],
): readonly string[] {
  return gap.requirements.flatMap((id) => {
    const own = { ...gap, requirements: [id] };
    const meant = cells.filter((cell) => cell.level === 'MUST' && stands(own, cell));
    if (meant.length === 0)
      return [`a known gap names ${id}, of which nothing must be proved there`];
    return meant
      .filter((cell) => !unproved.includes(cell))
      .map((cell) => `a known gap is proved: ${nameOf(cell)}`);
  });
}

function stands({ requirements, side, era, wire }: Gap, cell: Cell): boolean {
  return (
    requirements.includes(cell.requirement) &&
    (side === undefined || side === cell.side) &&
    (era === undefined || era === cell.era) &&
    (wire === undefined || wire === cell.wire)
  );
}

function rowOf(
  place: { readonly era: Era; readonly wire: Wire | 'any' },
  cells: readonly Cell[],
  isProved: (cell: Proof) => boolean,
): CoverageRow {
  const own = cells.filter((cell) => cell.era === place.era && cell.wire === place.wire);
  const count = (level: Level): Count => {
    const ofLevel = own.filter((cell) => cell.level === level);
    return { proved: ofLevel.filter(isProved).length, total: ofLevel.length };
  };
  return { ...place, must: count('MUST'), should: count('SHOULD') };
}

function nameOf({ requirement, side, era, wire }: Proof): string {
  return `${requirement} (${side} ${era} ${wire})`;
}
