import { useQuery } from '@tanstack/react-query';
import { isSettled, ProblemError, unwrap, type Run } from '@signalbox/client';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useAddress, useQueryParam } from '../app/router.ts';
import type { PageProps } from '../app/routes.tsx';
import { useClient } from '../app/session.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { EventLog } from './events/event-log.tsx';
import { ForkDialog } from './fork-dialog.tsx';
import { RunDetails } from './run-details.tsx';
import { RunHeader } from './run-header.tsx';
import { eventIn } from './timeline/row-tools.tsx';
import { runQueryKey, useRunTimeline } from './timeline/run-timeline.ts';
import { TimelineView } from './timeline/timeline-view.tsx';
import { WaterfallView } from './waterfall/waterfall-view.tsx';
import './run-page.css';

/** Milliseconds between requests for the run, beside those that its events cause. */
const REFRESH_MS = 5000;

/** A run: its timeline while it happens, where the time went, its events and its settings. */
export function RunPage({ params }: PageProps): ReactNode {
  const { id = '' } = params;
  // State of a run must not appear in the next one.
  return <OneRun key={id} id={id} />;
}

function OneRun({ id }: { readonly id: string }): ReactNode {
  const { api } = useClient();
  const {
    data: run,
    error,
    refetch,
  } = useQuery({
    queryKey: runQueryKey(id),
    queryFn: ({ signal }) => unwrap(api.GET('/v1/runs/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => (isGone(state.error) ? false : REFRESH_MS),
  });
  // Another person can delete the run while it is shown.
  if (run !== undefined && !isGone(error)) return <LoadedRun run={run} />;
  if (error === null) return <Spinner label="Loading the run" />;
  return (
    <ErrorNotice title="The run could not be loaded" error={error} onRetry={() => void refetch()} />
  );
}

function isGone(error: Error | null): boolean {
  return error instanceof ProblemError && error.code === 'run_not_found';
}

function LoadedRun({ run }: { readonly run: Run }): ReactNode {
  const timeline = useRunTimeline(run.id);
  const [view, setView] = useQueryParam('view');
  const [forkTurn, setForkTurn] = useState<number>();
  const seq = eventIn(useAddress().hash);
  const target = seq === undefined ? undefined : timeline.keyOf(seq);
  const { isOver, followAgain, lastSeq, events } = timeline;
  const followedFor = useRef<Run>(undefined);
  // Another person or program can resume a run that has ended, and it can have ended again. Each state of the run is a reason to look once.
  useEffect(() => {
    if (!isOver || run.last_seq <= lastSeq() || followedFor.current === run) return;
    followedFor.current = run;
    followAgain();
  }, [isOver, followAgain, run, lastSeq]);
  const chosen = view === '' ? 'timeline' : view;
  return (
    <>
      <RunHeader run={run} onResumed={followAgain} onFork={() => setForkTurn(run.turns)} />
      {timeline.error !== undefined && (
        <ErrorNotice
          title="The events of the run do not arrive"
          error={timeline.error}
          onRetry={followAgain}
        />
      )}
      <Tabs
        label="Views of the run"
        chosen={chosen}
        onChoose={(next) => setView(next === 'timeline' ? '' : next)}
        tabs={[
          { id: 'timeline', label: 'Timeline' },
          { id: 'waterfall', label: 'Time' },
          { id: 'events', label: 'Events', count: events.length },
          { id: 'details', label: 'Details' },
        ]}
      >
        {chosen === 'waterfall' ? (
          <WaterfallView entries={timeline.entries} isRunning={!isSettled(run)} />
        ) : chosen === 'events' ? (
          <EventLog events={events} target={seq} />
        ) : chosen === 'details' ? (
          <RunDetails run={run} />
        ) : (
          <TimelineView
            run={run}
            entries={timeline.entries}
            target={target}
            followsEnd={!isSettled(run)}
            onFork={setForkTurn}
          />
        )}
      </Tabs>
      {forkTurn !== undefined && (
        <ForkDialog run={run} turn={forkTurn} onClose={() => setForkTurn(undefined)} />
      )}
    </>
  );
}
