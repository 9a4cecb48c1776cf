import { isSettled, type Run } from '@signalbox/client';
import type { ReactNode } from 'react';
import { Link } from '../app/link.tsx';
import { Badge } from '../ui/badge.tsx';
import { formatCount, formatDuration } from '../ui/format.ts';
import { Icon } from '../ui/icon.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { PlainText } from '../ui/plain-text.tsx';
import { printable } from '../ui/printable.ts';
import { Time, useNow } from '../ui/time.tsx';
import { RunActions } from './run-actions.tsx';
import { StatusBadge } from './run-status.tsx';
import { UsageFacts } from './timeline/turn-row.tsx';

interface RunHeaderProps {
  readonly run: Run;
  readonly onResumed: () => void;
  readonly onFork: () => void;
}

const TITLE_LENGTH = 140;

/** Title, state, figures and actions of a run. */
export function RunHeader({ run, onResumed, onFork }: RunHeaderProps): ReactNode {
  const line = printable(run.prompt.slice(0, TITLE_LENGTH * 2))
    .replace(/\s+/g, ' ')
    .trim();
  const title = line.length > TITLE_LENGTH ? `${line.slice(0, TITLE_LENGTH)}…` : line;
  return (
    <>
      <nav className="breadcrumb" aria-label="Breadcrumb">
        <Link href="/runs">Runs</Link>
      </nav>
      <PageHeader
        title={title === '' ? 'Run' : title}
        actions={<RunActions run={run} onResumed={onResumed} onFork={onFork} />}
      >
        <div className="run-facts">
          <span role="status">
            <StatusBadge status={run.status} />
          </span>
          {run.kind === 'call' && <Badge>Call without a model</Badge>}
          <span className="faint facts">
            {run.model !== undefined && (
              <span>{run.scripted ? 'scripted answers' : `${run.provider} ${run.model}`}</span>
            )}
            <span>
              <Time at={run.created_at} />
            </span>
            <span>
              <Duration run={run} />
            </span>
            {run.turns > 0 && <span>{plural(run.turns, 'turn')}</span>}
            {run.tool_calls > 0 && <span>{plural(run.tool_calls, 'call')}</span>}
            {run.usage !== undefined && <UsageFacts usage={run.usage} />}
            {run.forked_from !== undefined && (
              <span>
                <Link href={`/runs/${run.forked_from.run_id}`}>
                  forked after turn {run.forked_from.turn}
                </Link>
              </span>
            )}
            {run.agent_id !== undefined && (
              <span>
                <Link href={`/agents/${run.agent_id}`}>agent</Link>
                {run.agent_version !== undefined && ` version ${run.agent_version}`}
              </span>
            )}
            {run.thread_id !== undefined && (
              <span>
                <Link href={`/threads/${run.thread_id}`}>thread</Link>
              </span>
            )}
          </span>
        </div>
      </PageHeader>
      <RunNotices run={run} />
    </>
  );
}

function RunNotices({ run }: { readonly run: Run }): ReactNode {
  return (
    <>
      {run.status_reason === 'model_unavailable' && (
        <div className="notice warn" role="status">
          <Icon name="clock" />
          <div>The model is not available. The run waits and tries again by itself.</div>
        </div>
      )}
      {run.inbox.length > 0 && !isSettled(run) && (
        <div className="notice warn">
          <Icon name="inbox" />
          <div>
            {run.inbox.length === 1
              ? 'A question waits for a person.'
              : `${run.inbox.length} questions wait for a person.`}{' '}
            <Link href="/inbox">Open the inbox</Link>
          </div>
        </div>
      )}
      {run.error !== undefined && (
        <div className="notice bad">
          <Icon name="error" />
          <div>
            <strong>
              The run {run.status} with <code>{run.error.code}</code>
            </strong>
            <p>
              <PlainText text={run.error.message} />
            </p>
          </div>
        </div>
      )}
    </>
  );
}

function Duration({ run }: { readonly run: Run }): ReactNode {
  const now = useNow(1000);
  const from = Date.parse(run.started_at ?? run.created_at);
  const to = run.finished_at === undefined ? now : Date.parse(run.finished_at);
  return formatDuration(Math.max(0, to - from));
}

function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}
