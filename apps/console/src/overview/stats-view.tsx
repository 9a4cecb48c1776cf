import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { unwrap, type Stats } from '@signalbox/client';
import type { ReactNode } from 'react';
import { Link } from '../app/link.tsx';
import { serviceNow } from '../app/service-clock.ts';
import { useClient } from '../app/session.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { formatCompact, formatCost, formatCount } from '../ui/format.ts';
import { PlainText } from '../ui/plain-text.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { Time } from '../ui/time.tsx';
import { failureShare, plotsOf } from './plots.ts';
import { Plot } from './plot.tsx';
import { spanAt, type TimeRange } from './time-range.ts';

interface StatsViewProps {
  readonly range: TimeRange;
}

/** The runs of a time span in figures and plots. */
export function StatsView({ range }: StatsViewProps): ReactNode {
  const { api } = useClient();
  const { data, error, refetch } = useQuery({
    queryKey: ['stats', range.id],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/v1/stats', { params: { query: spanAt(range, serviceNow()) }, signal })),
    refetchInterval: range.refreshMs,
    // The plots stay while those of another time span are loading.
    placeholderData: keepPreviousData,
  });
  if (error !== null)
    return (
      <ErrorNotice
        title="The statistics could not be loaded"
        error={error}
        onRetry={() => void refetch()}
      />
    );
  if (data === undefined) return <Spinner label="Loading the statistics" />;
  if (data.total.runs === 0)
    return (
      <EmptyState title={`No run in the last ${range.words}`} icon="overview">
        <p>
          Runs, tokens, cost and durations over time appear here.{' '}
          <Link href="/runs/new">Start a run</Link>, or choose a longer time span.
        </p>
      </EmptyState>
    );
  return <Figures stats={data} range={range} />;
}

function Figures({ stats, range }: StatsViewProps & { readonly stats: Stats }): ReactNode {
  const { total, models, errors } = stats;
  const share = failureShare(total);
  const times = stats.intervals.map(({ at }) => Date.parse(at));
  return (
    <>
      <p className="summary">
        In the last {range.words}: <strong>{formatCount(total.runs)}</strong> runs,{' '}
        {share !== undefined && (
          <>
            <strong>{share === 0 ? 'none' : `${share.toFixed(share < 10 ? 1 : 0)}%`}</strong>{' '}
            failed,{' '}
          </>
        )}
        <strong>{formatCount(total.turns)}</strong> turns,{' '}
        <strong>{formatCompact(total.input_tokens + total.output_tokens)}</strong> tokens,{' '}
        <strong>{formatCost(total.cost_usd)}</strong>
        {stats.unpriced_runs > 0 && (
          <span className="faint">
            {' '}
            ({formatCount(stats.unpriced_runs)} runs have no known price)
          </span>
        )}
        {stats.counted_from !== undefined && (
          <span className="faint">
            {' '}
            (counted from <Time at={stats.counted_from} form="full" />)
          </span>
        )}
        {stats.latencies_from !== undefined && (
          <span className="faint">
            {' '}
            (latencies measured from <Time at={stats.latencies_from} form="full" />)
          </span>
        )}
      </p>
      <div className="plots">
        {plotsOf(stats).map((plot) => (
          <Plot key={plot.id} plot={plot} times={times} range={range} />
        ))}
      </div>
      <div className="plots">
        <div>
          <h2>Models</h2>
          {models.length === 0 ? (
            <p className="faint">No model was called.</p>
          ) : (
            <DataTable
              label="Models"
              rows={models}
              keyOf={({ model }) => model}
              columns={[
                { id: 'model', title: 'Model', cell: ({ model }) => <PlainText text={model} /> },
                {
                  id: 'runs',
                  title: 'Runs',
                  isNumeric: true,
                  cell: ({ runs }) => formatCount(runs),
                },
                {
                  id: 'tokens',
                  title: 'Tokens',
                  isNumeric: true,
                  cell: (model) => formatCompact(model.input_tokens + model.output_tokens),
                },
                {
                  id: 'cost',
                  title: 'Cost',
                  isNumeric: true,
                  cell: ({ cost_usd: cost }) => formatCost(cost),
                },
              ]}
            />
          )}
        </div>
        <div>
          <h2>Errors</h2>
          {errors.length === 0 ? (
            <p className="faint">No run failed.</p>
          ) : (
            <DataTable
              label="Errors"
              rows={errors}
              keyOf={({ code }) => code}
              columns={[
                { id: 'code', title: 'Code', cell: ({ code }) => <code>{code}</code> },
                {
                  id: 'runs',
                  title: 'Runs',
                  isNumeric: true,
                  cell: ({ runs }) => <Link href="/runs?status=failed">{formatCount(runs)}</Link>,
                },
              ]}
            />
          )}
        </div>
      </div>
    </>
  );
}
