import { useMutation, useQuery } from '@tanstack/react-query';
import { isSettled, unwrap, type Run } from '@signalbox/client';
import { useState, type ReactNode } from 'react';
import { useAgentChoices } from '../app/choices.ts';
import { Link } from '../app/link.tsx';
import { useClient } from '../app/session.tsx';
import { ForkDialog } from '../runs/fork-dialog.tsx';
import { StatusBadge } from '../runs/run-status.tsx';
import { Button } from '../ui/button.tsx';
import { describeError, ErrorNotice } from '../ui/error-notice.tsx';
import { formatCost, formatDateTime, formatDuration } from '../ui/format.ts';
import { Icon } from '../ui/icon.tsx';
import { LongText, PlainText } from '../ui/plain-text.tsx';
import { printable } from '../ui/printable.ts';
import { Spinner } from '../ui/spinner.tsx';
import { Time } from '../ui/time.tsx';
import { useToast } from '../ui/toast.tsx';
import { ChatParts } from './chat-parts.tsx';
import { OpenQuestions } from './open-questions.tsx';
import { RunAttachments } from './run-attachments.tsx';
import { promptOf, storedParts } from './stored-parts.ts';
import { useLiveParts } from './use-live-parts.ts';

/** Messages of a run that the conversation shows; the page of the run has all. */
const MAX_MESSAGES = 1000;

interface ExchangeProps {
  /** The run as the list of runs has it. */
  readonly run: Run;
}

/** A prompt and the answer of its run, while it is written and later. */
export function Exchange({ run: listed }: ExchangeProps): ReactNode {
  // A run that was followed keeps the texts that were shown, so that nothing moves at its end.
  const [isLive, setIsLive] = useState(() => !isSettled(listed));
  // A run that has ended can be resumed on its page, by another person or by a program.
  if (!isLive && !isSettled(listed)) setIsLive(true);
  const live = useLiveParts(isLive ? listed : undefined);
  const { data: messages, error, refetch } = useMessages(listed, !isLive);
  const run = live.run ?? listed;
  const agentName = useAgentName(run.agent_id);
  const prompt = messages === undefined ? undefined : promptOf(messages);
  const parts =
    messages === undefined || live.parts.length > 0 ? live.parts : storedParts(messages);
  return (
    <article
      className="exchange"
      tabIndex={-1}
      aria-label={`Message of ${formatDateTime(Date.parse(run.created_at))}`}
    >
      <div className="said by-person">
        <h2 className="visually-hidden">You said</h2>
        <LongText text={prompt?.text ?? run.prompt} />
        {(isLive || prompt?.hasAttachments === true) && <RunAttachments runId={run.id} />}
      </div>
      <div className="said by-agent">
        <h2 className="visually-hidden">{agentName} said</h2>
        <ChatParts runId={run.id} parts={parts} />
        {!isLive && messages === undefined && error === null && (
          <Spinner label="Loading the messages" />
        )}
        {error !== null && (
          <ErrorNotice
            title="The messages could not be loaded"
            error={error}
            onRetry={() => void refetch()}
          />
        )}
        {live.error !== undefined && (
          <ErrorNotice title="The answer does not arrive" error={live.error} />
        )}
        <Outcome run={run} />
        <OpenQuestions run={run} />
        <Footer run={run} isFollowed={isLive} isLost={live.isLost} />
      </div>
    </article>
  );
}

function useAgentName(id: string | undefined): string {
  const agent = useAgentChoices()?.find((each) => each.id === id);
  return agent === undefined ? 'The agent' : printable(agent.name);
}

function useMessages({ id: runId, last_seq: lastSeq }: Run, isOn: boolean) {
  const { api } = useClient();
  return useQuery({
    // A run that was resumed has further messages.
    queryKey: ['messages', runId, lastSeq],
    enabled: isOn,
    queryFn: async ({ signal }) => {
      const { data } = await unwrap(
        api.GET('/v1/runs/{id}/messages', {
          params: { path: { id: runId }, query: { limit: MAX_MESSAGES } },
          signal,
        }),
      );
      return data;
    },
    staleTime: Infinity,
    placeholderData: (previous) => previous,
  });
}

/** Says why a run has no complete answer. */
function Outcome({ run }: ExchangeProps): ReactNode {
  if (run.error !== undefined)
    return (
      <div className="notice bad">
        <Icon name="error" />
        <div>
          <strong>{run.status === 'expired' ? 'The run took too long' : 'The run failed'}</strong>
          <p>
            <PlainText text={run.error.message} />
          </p>
          <p className="faint">
            <code>{run.error.code}</code>
          </p>
        </div>
      </div>
    );
  if (run.status !== 'cancelled') return null;
  const isReplaced = run.status_reason === 'superseded';
  return (
    <p className="faint">
      {isReplaced ? 'Cancelled for the next message.' : 'Cancelled before it was complete.'}
    </p>
  );
}

interface FooterProps extends ExchangeProps {
  /** Whether the page has shown the run while it was in progress, so that its end is announced. */
  readonly isFollowed: boolean;
  readonly isLost: boolean;
}

function Footer({ run, isFollowed, isLost }: FooterProps): ReactNode {
  const client = useClient();
  const toast = useToast();
  const isEnded = isSettled(run);
  const [isForking, setIsForking] = useState(false);
  const cancel = useMutation({
    mutationFn: () => client.runs.cancel(run.id),
    onError: (error) => toast(describeError(error), 'bad'),
  });
  return (
    <footer className="exchange-footer">
      <span
        className={run.status === 'completed' ? 'visually-hidden' : undefined}
        role={isFollowed ? 'status' : undefined}
      >
        <StatusBadge status={run.status} />
      </span>
      {isLost && !isEnded && <span className="lost">The connection is lost; trying again…</span>}
      <span className="faint">
        <Time at={run.created_at} />
        {isEnded && <Figures run={run} />}
      </span>
      <span className="exchange-actions">
        {!isEnded && (
          <Button
            kind="danger"
            icon="cancel"
            isBusy={cancel.isPending || run.status === 'cancelling'}
            onClick={() => cancel.mutate()}
          >
            Cancel
          </Button>
        )}
        {isEnded && run.turns > 0 && (
          <Button kind="quiet" icon="fork" onClick={() => setIsForking(true)}>
            Fork
          </Button>
        )}
        <Link
          className="button quiet"
          href={`/runs/${encodeURIComponent(run.id)}`}
          aria-label="Open the run of this message"
        >
          <Icon name="runs" />
          Run
        </Link>
      </span>
      {isForking && <ForkDialog run={run} turn={run.turns} onClose={() => setIsForking(false)} />}
    </footer>
  );
}

function Figures({ run }: ExchangeProps): ReactNode {
  const { started_at: from, finished_at: to, usage } = run;
  const parts = [
    ...(from === undefined || to === undefined
      ? []
      : [formatDuration(Date.parse(to) - Date.parse(from))]),
    ...(run.tool_calls === 0 ? [] : [`${run.tool_calls} calls`]),
    ...(usage?.cost_usd === undefined ? [] : [formatCost(usage.cost_usd)]),
  ];
  return parts.map((part) => ` · ${part}`).join('');
}
