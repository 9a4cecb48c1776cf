import type { ReactNode } from 'react';
import { useQueryParam } from '../app/router.ts';
import { PageHeader } from '../ui/page-header.tsx';
import { FirstSteps } from './first-steps.tsx';
import { QueueStrip } from './queue-strip.tsx';
import { StatsView } from './stats-view.tsx';
import { TIME_RANGES, timeRange } from './time-range.ts';
import './overview.css';

/** The first steps of a newcomer, and the state of the service over time. */
export function OverviewPage(): ReactNode {
  const [rangeId, setRangeId] = useQueryParam('range');
  const range = timeRange(rangeId);
  return (
    <>
      <PageHeader
        title="Overview"
        actions={
          <fieldset className="choice-bar">
            <legend className="visually-hidden">Time span</legend>
            {TIME_RANGES.map(({ id, label }) => (
              <label key={id}>
                <input
                  type="radio"
                  name="range"
                  value={id}
                  checked={id === range.id}
                  onChange={() => setRangeId(id)}
                />
                <span>{label}</span>
              </label>
            ))}
          </fieldset>
        }
      />
      <div className="overview">
        <FirstSteps />
        <QueueStrip />
        <StatsView range={range} />
      </div>
    </>
  );
}
