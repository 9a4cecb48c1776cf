import type { ReactNode } from 'react';
import { formatCount } from '../../ui/format.ts';
import { printable } from '../../ui/printable.ts';

interface BarChartProps {
  /** Name of the values. */
  readonly title: string;
  /** Values of at least 0. */
  readonly bars: readonly { readonly label: string; readonly value: number }[];
}

/** Horizontal bars with their labels and values. */
export function BarChart({ title, bars }: BarChartProps): ReactNode {
  const largest = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
  return (
    <figure className="bar-chart">
      <figcaption className="faint">{printable(title)}</figcaption>
      <dl>
        {bars.map(({ label, value }, index) => (
          // Labels can occur several times.
          // oxlint-disable-next-line react/no-array-index-key
          <div key={index}>
            <dt>
              <bdi>{printable(label)}</bdi>
            </dt>
            <dd>
              <span className="bar" style={{ width: `${(value / largest) * 100}%` }} />
              <span className="numeric">{formatCount(value)}</span>
            </dd>
          </div>
        ))}
      </dl>
    </figure>
  );
}
