import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';
import type { MatrixMeta } from './run-cells.ts';

interface Column {
  readonly verdicts: Map<string, string>;
  reasons: { readonly [feature: string]: string };
}

/**
 * Writes to `.results/matrix.md` which features passed for which pair, and their number to the
 * terminal.
 */
export class MatrixReport implements Reporter {
  #root = process.cwd();

  onInit(vitest: Vitest): void {
    this.#root = vitest.config.root;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const cells = collect(modules.flatMap((module) => [...module.children.allTests()]));
    if (cells.size === 0) return;
    const folder = join(this.#root, '.results');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'matrix.md'), render(cells));
    process.stdout.write(`\nInterop matrix (.results/matrix.md)\n${summarize(cells)}\n`);
  }
}

function collect(tests: readonly TestCase[]): ReadonlyMap<string, Column> {
  const cells = new Map<string, Column>();
  const columnOf = (name: string): Column => {
    const column = cells.get(name) ?? { verdicts: new Map(), reasons: {} };
    cells.set(name, column);
    return column;
  };
  for (const test of tests) {
    const { matrix } = test.meta() as { readonly matrix?: MatrixMeta };
    if (matrix === undefined) continue;
    const column = columnOf(matrix.cell);
    column.verdicts.set(matrix.feature, test.result().state);
    column.reasons = matrix.without;
  }
  return cells;
}

function summarize(cells: ReadonlyMap<string, Column>): string {
  return [...cells]
    .map(([name, { verdicts, reasons }]) => {
      const passed = [...verdicts.values()].filter((verdict) => verdict === 'passed').length;
      return `${name.padEnd(62)}${String(passed).padStart(3)} of ${String(verdicts.size)} passed, ${String(Object.keys(reasons).length)} not possible`;
    })
    .join('\n');
}

/** Renders a row per cell and a column per feature, then the numbered reasons. */
function render(cells: ReadonlyMap<string, Column>): string {
  const features = [
    ...new Set(
      [...cells.values()].flatMap(({ verdicts, reasons }) => [
        ...verdicts.keys(),
        ...Object.keys(reasons),
      ]),
    ),
  ];
  const reasons = [
    ...new Set([...cells.values()].flatMap(({ reasons: given }) => Object.values(given))),
  ];
  const mark = ({ verdicts, reasons: given }: Column, feature: string): string => {
    const reason = given[feature];
    if (reason !== undefined) return `(${String(reasons.indexOf(reason) + 1)})`;
    return verdicts.get(feature) === 'passed' ? 'yes' : '**no**';
  };
  const names = [...cells.keys()];
  return [
    '# Interop matrix',
    '',
    ...names.map((name, index) => `- ${letter(index)}: ${name}`),
    '',
    `| Feature | ${names.map((_, index) => letter(index)).join(' | ')} |`,
    `|---|${names.map(() => '---|').join('')}`,
    ...features.map(
      (feature) =>
        `| ${feature} | ${[...cells.values()].map((column) => mark(column, feature)).join(' | ')} |`,
    ),
    '',
    ...reasons.map((reason, index) => `${String(index + 1)}. ${reason}`),
    '',
  ].join('\n');
}

function letter(index: number): string {
  return index < 26 ? String.fromCodePoint(65 + index) : `A${letter(index - 26)}`;
}
