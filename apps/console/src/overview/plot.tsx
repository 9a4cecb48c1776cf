import { useState, type PointerEvent, type ReactNode } from 'react';
import { DataTable } from '../ui/data-table.tsx';
import { linePath, niceMax, stackTops } from './plot-scale.ts';
import type { PlotData, Series } from './plots.ts';
import { formatInterval, formatTick, type TimeRange } from './time-range.ts';

interface PlotProps {
  readonly plot: PlotData;
  /** Starts of the intervals, in milliseconds since 1970. */
  readonly times: readonly number[];
  readonly range: TimeRange;
}

/**
 * A plot of values over time. The pointer or the arrow keys choose an interval, whose values are shown below it; a table has all
 * of them.
 */
export function Plot({ plot, times, range }: PlotProps): ReactNode {
  const { title, total, series, emptyText } = plot;
  const isEmpty = series.every(({ values }) => values.every((value) => (value ?? 0) === 0));
  return (
    <figure className="card plot">
      <figcaption>
        <h2>{title}</h2>
        {!isEmpty && total !== undefined && <span className="plot-total">{total}</span>}
      </figcaption>
      {isEmpty ? (
        <p className="faint">{emptyText}</p>
      ) : (
        <>
          <Marks plot={plot} times={times} range={range} />
          <PlotTable plot={plot} times={times} range={range} />
        </>
      )}
    </figure>
  );
}

/** The drawing with its axes and its legend. */
function Marks({ plot, times, range }: PlotProps): ReactNode {
  const { title, kind, series, format } = plot;
  const [chosen, setChosen] = useState<number>();
  const last = times.length - 1;
  const at = Math.min(chosen ?? last, last);
  const tops =
    kind === 'bars'
      ? stackTops(series.map(({ values }) => values))
      : series.flatMap(({ values }) => values.map((value) => value ?? 0));
  const max = niceMax(Math.max(0, ...tops));
  const reading = readingAt(plot, at);
  const onPointerMove = (event: PointerEvent<HTMLElement>): void => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const index = Math.floor(((event.clientX - left) / width) * times.length);
    setChosen(Math.max(0, Math.min(last, index)));
  };
  return (
    <>
      <div className="plot-frame">
        <div className="plot-scale" aria-hidden="true">
          <span>{format(max)}</span>
          <span>{format(0)}</span>
        </div>
        <div
          className="plot-area"
          onPointerMove={onPointerMove}
          onPointerLeave={() => setChosen(undefined)}
        >
          <svg viewBox={`0 0 ${times.length} 100`} preserveAspectRatio="none" aria-hidden="true">
            {kind === 'bars' ? (
              <Bars series={series} max={max} />
            ) : (
              <Lines series={series} max={max} />
            )}
          </svg>
          {chosen !== undefined && (
            <span
              className="plot-cursor"
              style={{
                insetInlineStart: `${(at / times.length) * 100}%`,
                width: `${100 / times.length}%`,
              }}
            />
          )}
          <input
            type="range"
            min={0}
            max={Math.max(0, last)}
            value={Math.max(0, at)}
            aria-label={`Interval of ${title}`}
            aria-valuetext={`${formatInterval(times[at] ?? 0, range)}: ${reading}`}
            onChange={(event) => setChosen(Number(event.target.value))}
            onBlur={() => setChosen(undefined)}
          />
        </div>
        <div className="plot-ticks" aria-hidden="true">
          {[0, Math.floor(last / 2), last].map((index) => (
            <span key={index}>{formatTick(times[index] ?? 0, range)}</span>
          ))}
        </div>
      </div>
      <ul className="plot-legend" aria-label={`Series of ${title}`}>
        {series.map(({ name, tone, values }) => (
          <li key={name}>
            <span className={`swatch ${tone}`} />
            {name}
            {chosen !== undefined && <strong>{shown(values[at], format)}</strong>}
          </li>
        ))}
        {chosen !== undefined && (
          <li className="plot-time faint">{formatInterval(times[at] ?? 0, range)}</li>
        )}
      </ul>
    </>
  );
}

interface MarksProps {
  readonly series: readonly Series[];
  readonly max: number;
}

function Bars({ series, max }: MarksProps): ReactNode {
  return series.map(({ name, tone, values }, place) => {
    const below = stackTops(series.slice(0, place).map((other) => other.values));
    return (
      <g key={name} className={`marks ${tone}`}>
        {values.map((value, index) =>
          value === undefined || value === 0 ? null : (
            <rect
              // An interval has no other identity than its place.
              // oxlint-disable-next-line react/no-array-index-key
              key={index}
              x={index + 0.1}
              width={0.8}
              y={100 - (((below[index] ?? 0) + value) / max) * 100}
              height={(value / max) * 100}
            />
          ),
        )}
      </g>
    );
  });
}

function Lines({ series, max }: MarksProps): ReactNode {
  return series.map(({ name, tone, values }) => (
    <path key={name} className={`marks line ${tone}`} d={linePath(values, max)} />
  ));
}

function PlotTable({ plot, times, range }: PlotProps): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  const { title, series, format } = plot;
  const filled = times
    .map((time, index) => ({ time, index }))
    .filter(({ index }) => series.some(({ values }) => (values[index] ?? 0) !== 0));
  return (
    <details className="plot-table" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Show as a table</summary>
      {isOpen && filled.length === 0 && <p className="faint">No value in this time.</p>}
      {isOpen && filled.length > 0 && (
        <DataTable
          label={`${title}, intervals with values`}
          rows={filled}
          keyOf={({ time }) => String(time)}
          columns={[
            { id: 'time', title: 'Time', cell: ({ time }) => formatInterval(time, range) },
            ...series.map(({ name, values }) => ({
              id: name,
              title: name,
              isNumeric: true,
              cell: ({ index }: { readonly index: number }) => shown(values[index], format),
            })),
          ]}
        />
      )}
    </details>
  );
}

function readingAt({ series, format }: PlotData, index: number): string {
  return series.map(({ name, values }) => `${name} ${shown(values[index], format)}`).join(', ');
}

function shown(value: number | undefined, format: (value: number) => string): string {
  return value === undefined ? '–' : format(value);
}
