import { useMutation, useQuery } from '@tanstack/react-query';
import { unwrap } from '@signalbox/client';
import { useEffect, useState, type ReactNode } from 'react';
import { Link } from '../app/link.tsx';
import { useClient } from '../app/session.tsx';
import { ResultView } from '../runs/result/result-view.tsx';
import '../runs/run-page.css';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { PlainText } from '../ui/plain-text.tsx';
import { ProgressBar } from '../ui/progress-bar.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { afterFrame, NEW_CALL, type CallState } from './call-state.ts';

const PHASES: { readonly [phase in CallState['phase']]: readonly [label: string, tone: Tone] } = {
  queued: ['Queued', 'neutral'],
  waiting: ['Waiting', 'neutral'],
  running: ['Running', 'busy'],
  asking: ['Needs input', 'warn'],
  cancelling: ['Cancelling', 'warn'],
  ended: ['Ended', 'neutral'],
};
const OUTCOMES: {
  readonly [outcome in NonNullable<CallState['outcome']>]: readonly [label: string, tone: Tone];
} = {
  succeeded: ['Succeeded', 'good'],
  failed: ['Failed', 'bad'],
  cancelled: ['Cancelled', 'neutral'],
};

/** A call while it happens and after it: progress, questions, its cancellation and its result. */
export function ToolCallWatch({ runId }: { readonly runId: string }): ReactNode {
  const client = useClient();
  const { state, error } = useCallState(runId);
  const cancel = useMutation({ mutationFn: () => client.runs.cancel(runId) });
  const [label, tone] =
    state.phase === 'ended' && state.outcome !== undefined
      ? OUTCOMES[state.outcome]
      : PHASES[state.phase];
  return (
    <section className="card call-watch" aria-labelledby={`call-${runId}`}>
      <div className="call-watch-title">
        <h3 id={`call-${runId}`}>The call</h3>
        <span role="status">
          <Badge tone={tone} isLive={state.phase === 'running'}>
            {label}
          </Badge>
        </span>
        <Link href={`/runs/${encodeURIComponent(runId)}`}>See it as a run</Link>
        {state.phase !== 'ended' && (
          <Button
            kind="danger"
            icon="cancel"
            isBusy={cancel.isPending || state.phase === 'cancelling'}
            onClick={() => cancel.mutate()}
          >
            Cancel the call
          </Button>
        )}
      </div>
      {state.reason !== undefined && state.phase !== 'running' && (
        <p>
          <PlainText text={state.reason} />
        </p>
      )}
      {state.itemId !== undefined && (
        <div className="notice warn">
          <div>
            <strong>The call waits for a person</strong>
          </div>
          <Link className="button" href={`/inbox/${encodeURIComponent(state.itemId)}`}>
            Answer in the inbox
          </Link>
        </div>
      )}
      {state.progress !== undefined && state.phase !== 'ended' && (
        <ProgressBar
          value={state.progress.progress}
          total={state.progress.total}
          label={state.progress.message ?? 'Progress'}
        />
      )}
      {cancel.error !== null && (
        <ErrorNotice title="The call was not cancelled" error={cancel.error} />
      )}
      {error !== undefined && <ErrorNotice title="The call cannot be followed" error={error} />}
      {state.phase === 'ended' && state.callId !== undefined && (
        <CallResult runId={runId} callId={state.callId} />
      )}
    </section>
  );
}

function useCallState(runId: string): { readonly state: CallState; readonly error: unknown } {
  const { runs } = useClient();
  const [state, setState] = useState(NEW_CALL);
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    const follow = async (): Promise<void> => {
      try {
        for await (const frame of runs.stream(runId, { signal, retryForMs: Infinity }))
          setState((before) => afterFrame(before, frame));
      } catch (failure) {
        if (!signal.aborted) setError(failure);
      }
    };
    void follow();
    return () => stop.abort();
  }, [runs, runId]);
  return { state, error };
}

interface CallResultProps {
  readonly runId: string;
  readonly callId: string;
}

function CallResult({ runId, callId }: CallResultProps): ReactNode {
  const { api } = useClient();
  const { data, error, refetch } = useQuery({
    queryKey: ['tool-call', runId, callId],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/v1/runs/{id}/tool-calls/{call_id}', {
          params: { path: { id: runId, call_id: callId } },
          signal,
        }),
      ),
    staleTime: Infinity,
  });
  if (error !== null)
    return (
      <ErrorNotice
        title="The result could not be loaded"
        error={error}
        onRetry={() => void refetch()}
      />
    );
  if (data === undefined) return <Spinner label="Loading the result" />;
  return data.result === undefined ? (
    <p className="faint">The call has no result.</p>
  ) : (
    <ResultView result={data.result} />
  );
}
