import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@signalbox/client';
import type { ReactNode } from 'react';
import { useClient, useSession } from '../../app/session.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formatDuration } from '../../ui/format.ts';
import { JsonTree } from '../../ui/json-tree.tsx';
import { PlainText } from '../../ui/plain-text.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { Time } from '../../ui/time.tsx';
import { curlCommand } from '../curl.ts';
import { ResultView } from '../result/result-view.tsx';
import { ArtifactView } from '../result/artifact-view.tsx';
import type { CallEntry, Span } from './entries.ts';
import { UsageFacts } from './turn-row.tsx';

/** Arguments, result and history of a call. The whole result is loaded when this is shown. */
export function CallDetails({
  entry,
  runId,
}: {
  readonly entry: CallEntry;
  readonly runId: string;
}): ReactNode {
  const { planned, editedArguments } = entry;
  const { apiKey } = useSession();
  return (
    <div className="call-details">
      <section>
        <div className="row-title">
          <h3>Arguments</h3>
          <CopyButton
            label="Copy"
            text={() => JSON.stringify(editedArguments ?? planned.arguments, undefined, 2)}
          />
          <CopyButton
            label="Copy as curl"
            text={() =>
              curlCommand(
                `${location.origin}/v1/tools/${encodeURIComponent(planned.name)}/call`,
                { arguments: editedArguments ?? planned.arguments },
                { needsKey: apiKey !== undefined },
              )
            }
          />
        </div>
        <JsonTree value={editedArguments ?? planned.arguments} />
        {editedArguments !== undefined && (
          <details className="raw">
            <summary>A person changed them. Arguments of the model</summary>
            <JsonTree value={planned.arguments} />
          </details>
        )}
      </section>
      <Result entry={entry} runId={runId} />
      <History entry={entry} />
    </div>
  );
}

function Result({
  entry,
  runId,
}: {
  readonly entry: CallEntry;
  readonly runId: string;
}): ReactNode {
  const { api } = useClient();
  const { data, error, refetch } = useQuery({
    queryKey: ['tool-call', runId, entry.callId, entry.state],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/v1/runs/{id}/tool-calls/{call_id}', {
          params: { path: { id: runId, call_id: entry.callId } },
          signal,
        }),
      ),
    enabled: entry.result !== undefined,
    staleTime: Infinity,
  });
  if (entry.result === undefined) return null;
  return (
    <section>
      <div className="row-title">
        <h3>Result</h3>
        {data?.result !== undefined && (
          <CopyButton label="Copy" text={() => JSON.stringify(data.result, undefined, 2)} />
        )}
      </div>
      {error !== null && (
        <ErrorNotice
          title="The result could not be loaded"
          error={error}
          onRetry={() => void refetch()}
        />
      )}
      {data === undefined && error === null && <Spinner label="Loading the result" />}
      {data !== undefined && <ResultView result={data.result} />}
      {data?.artifact_id !== undefined && <ArtifactView id={data.artifact_id} />}
    </section>
  );
}

const PHASES: { readonly [phase in Span['phase']]: string } = {
  model: 'model',
  waiting: 'waited',
  running: 'ran at the server',
  asking: 'waited for a person',
};

/** Shorter times are left out. */
const MIN_SHOWN_MS = 2;

function History({ entry }: { readonly entry: CallEntry }): ReactNode {
  const { retries, sampling, cancel, spans } = entry;
  const times = spans.filter(
    (span): span is Required<Span> => span.to !== undefined && span.to - span.from >= MIN_SHOWN_MS,
  );
  if (times.length + retries.length + sampling.length === 0 && cancel === undefined) return null;
  return (
    <section>
      <h3>History</h3>
      <ul className="history">
        {times.map(({ phase, from, to }) => (
          <li key={`${phase}-${from}`}>
            <span className="numeric">{formatDuration(to - from)}</span> {PHASES[phase]}
          </li>
        ))}
        {retries.map(({ at, reason }) => (
          <li key={at}>
            Sent again <Time at={at} form="clock" />: <PlainText text={reason} />
          </li>
        ))}
        {sampling.map((usage, index) => (
          // Model calls of a server have no id.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={index}>
            The server used the model: <UsageFacts usage={usage} />
          </li>
        ))}
        {cancel !== undefined && (
          <li>
            Cancelled{cancel.cancel !== undefined && <>: the cancellation was {cancel.cancel}</>},
            outcome {cancel.outcome}
          </li>
        )}
      </ul>
    </section>
  );
}
