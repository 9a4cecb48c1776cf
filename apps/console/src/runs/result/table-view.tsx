import { useMemo, useState, type ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { formatCount } from '../../ui/format.ts';
import { PlainText } from '../../ui/plain-text.tsx';
import { BarChart } from './bar-chart.tsx';
import { numbersOf, type Scalar, type Table } from './tabular.ts';

interface TableRow {
  readonly id: string;
  readonly cells: readonly Scalar[];
}

const PAGE = 50;
/** Numbers of rows of a table that can be a chart. */
const CHART_ROWS = { least: 2, most: 40 };

/** A table of a result; one with labels and numbers can be shown as a chart. */
export function TableView({ table }: { readonly table: Table }): ReactNode {
  const [shown, setShown] = useState(PAGE);
  const [isChart, setIsChart] = useState(false);
  const numbers = useMemo(
    () => table.columns.map((_name, column) => numbersOf(table, column)),
    [table],
  );
  const labelColumn = numbers.indexOf(undefined);
  const valueColumn = numbers.findLastIndex((column) => column !== undefined);
  const values = numbers[valueColumn];
  const { length } = table.rows;
  const canBeChart =
    labelColumn >= 0 &&
    values !== undefined &&
    values.every((value) => value >= 0) &&
    length >= CHART_ROWS.least &&
    length <= CHART_ROWS.most;
  const rows = table.rows.slice(0, shown).map((cells, index) => ({ cells, id: String(index) }));
  const label = table.title ?? 'Result';
  return (
    <section className="result-table">
      <div className="result-table-title">
        <h3>
          {table.title !== undefined && <PlainText text={`${table.title} `} />}
          <span className="faint">
            {formatCount(length)} {length === 1 ? 'row' : 'rows'}
          </span>
        </h3>
        {canBeChart && (
          <Button kind="quiet" icon="overview" onClick={() => setIsChart(!isChart)}>
            {isChart ? 'Show as a table' : 'Show as a chart'}
          </Button>
        )}
      </div>
      {isChart && canBeChart ? (
        <BarChart
          title={table.columns[valueColumn] ?? label}
          bars={table.rows.map((row, index) => ({
            label: textOf(row[labelColumn] ?? null),
            value: values[index] ?? 0,
          }))}
        />
      ) : (
        <DataTable
          label={label}
          rows={rows}
          keyOf={(row) => row.id}
          columns={table.columns.map((name, column) => ({
            id: `${column}-${name}`,
            title: name,
            isNumeric: numbers[column] !== undefined,
            cell: (row: TableRow) => <PlainText text={textOf(row.cells[column] ?? null)} />,
          }))}
        />
      )}
      {length > shown && !isChart && (
        <Button kind="quiet" onClick={() => setShown(shown + PAGE)}>
          {`Show ${Math.min(PAGE, length - shown)} more of ${formatCount(length)} rows`}
        </Button>
      )}
    </section>
  );
}

function textOf(value: Scalar): string {
  return value === null ? '–' : String(value);
}
