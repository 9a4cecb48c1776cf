import { useMutation } from '@tanstack/react-query';
import { unwrap, type Run } from '@signalbox/client';
import { useId, useState, type ReactNode } from 'react';
import { useClient } from '../../app/session.tsx';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { describeError } from '../../ui/error-notice.tsx';
import { formatDuration } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { PlainText } from '../../ui/plain-text.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { useToast } from '../../ui/toast.tsx';
import { CallAgainDialog } from '../call-again-dialog.tsx';
import { jsonIn } from '../result/json-in.ts';
import { tablesIn } from '../result/tabular.ts';
import { CallDetails } from './call-details.tsx';
import type { CallEntry, CallState, ResultPreview } from './entries.ts';
import { EventPlace, useElapsed } from './row-tools.tsx';

const STATES: { readonly [state in CallState]: readonly [label: string, tone: Tone] } = {
  planned: ['Planned', 'neutral'],
  awaiting_approval: ['Needs approval', 'warn'],
  waiting: ['Waiting', 'warn'],
  dispatched: ['Running', 'busy'],
  working: ['Running as a task', 'busy'],
  input_required: ['Asks a person', 'warn'],
  succeeded: ['Done', 'good'],
  failed: ['Failed', 'bad'],
  cancelled: ['Cancelled', 'neutral'],
  unknown: ['Outcome unknown', 'bad'],
};
const ENDED: readonly CallState[] = ['succeeded', 'failed', 'cancelled'];
const PREVIEW = 160;

interface CallRowProps {
  readonly entry: CallEntry;
  readonly run: Run;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** A tool call: what was called, how far it is, and what came back. */
export function CallRow({ entry, run, isOpen, onToggle }: CallRowProps): ReactNode {
  const { planned, state, progress, note, error, result, attempt } = entry;
  const detailsId = useId();
  const [label, tone] = STATES[state];
  const elapsed = useElapsed(entry.spans, ['running']);
  const isActive = !ENDED.includes(state) && state !== 'unknown';
  return (
    <div className="card call-card">
      <div className="row-title">
        <h2>
          <button
            type="button"
            className="disclosure"
            aria-expanded={isOpen}
            aria-controls={isOpen ? detailsId : undefined}
            onClick={onToggle}
          >
            <Icon name="chevron" />
            <PlainText text={planned.tool} />
          </button>
        </h2>
        {planned.server !== undefined && <span className="faint">{planned.server}</span>}
        <Badge tone={tone} isLive={state === 'dispatched' || state === 'working'}>
          {label}
        </Badge>
        <span className="faint facts">
          {elapsed > 0 && <span>{formatDuration(elapsed)}</span>}
          {attempt > 1 && <span>attempt {attempt}</span>}
        </span>
        <span className="row-actions">
          {isActive ? <CancelCall run={run} callId={entry.callId} /> : <CallAgain entry={entry} />}
          <EventPlace seq={entry.seq} at={entry.at} />
        </span>
      </div>
      {!isOpen && (
        <p className="call-preview">
          <PlainText text={preview(entry.editedArguments ?? planned.arguments)} />
        </p>
      )}
      {isActive && progress !== undefined && (
        <ProgressBar
          value={progress.progress}
          total={progress.total}
          label={progress.message ?? `Progress of ${planned.tool}`}
        />
      )}
      {note !== undefined && note !== '' && (
        <p className="call-note">
          <Icon name="clock" /> <PlainText text={note} />
        </p>
      )}
      {state === 'failed' && error !== undefined && (
        <p className="call-error">
          <PlainText text={error} />
        </p>
      )}
      {!isOpen && state === 'succeeded' && result !== undefined && result.text !== '' && (
        <p className="call-preview result-preview">
          <PlainText text={summaryOf(result)} />
        </p>
      )}
      {isOpen && (
        <div id={detailsId}>
          <CallDetails entry={entry} runId={run.id} />
        </div>
      )}
    </div>
  );
}

function CallAgain({ entry }: { readonly entry: CallEntry }): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  const { planned, editedArguments, callId } = entry;
  // Tools of the service itself, such as artifact_read, exist only in a run.
  if (planned.server === undefined) return null;
  return (
    <>
      <Button kind="quiet" icon="retry" onClick={() => setIsOpen(true)}>
        Call again
      </Button>
      {isOpen && (
        <CallAgainDialog
          name={planned.name}
          server={planned.server}
          callId={callId}
          arguments={editedArguments ?? planned.arguments}
          onClose={() => setIsOpen(false)}
        />
      )}
    </>
  );
}

function CancelCall({ run, callId }: { readonly run: Run; readonly callId: string }): ReactNode {
  const { api } = useClient();
  const toast = useToast();
  const cancel = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST('/v1/runs/{id}/tool-calls/{call_id}/cancel', {
          params: { path: { id: run.id, call_id: callId } },
          body: {},
        }),
      ),
    onError: (error) => toast(describeError(error), 'bad'),
  });
  return (
    <Button kind="quiet" icon="cancel" isBusy={cancel.isPending} onClick={() => cancel.mutate()}>
      Cancel call
    </Button>
  );
}

/** Returns arguments in one line. */
function preview(args: { readonly [name: string]: unknown }): string {
  const text = Object.entries(args)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' · ')
    .replace(/\s+/g, ' ');
  return text.length > PREVIEW ? `${text.slice(0, PREVIEW)}…` : text;
}

/** Returns the size of the tables in a result, or the beginning of its text. */
function summaryOf({ text, truncated }: ResultPreview): string {
  const tables = truncated ? [] : tablesIn(jsonIn(text));
  if (tables.length > 0)
    return tables
      .map(({ title, rows, columns }) => {
        const size = `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`;
        return `${title === undefined ? '' : `${title}: `}${size} of ${columns.join(', ')}`;
      })
      .join(' · ');
  const line = text.slice(0, PREVIEW * 2).replace(/\s+/g, ' ');
  return line.length > PREVIEW ? `${line.slice(0, PREVIEW)}…` : line;
}
