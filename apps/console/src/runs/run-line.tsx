import type { Run } from '@signalbox/client';
import type { ReactNode } from 'react';
import { Link } from '../app/link.tsx';
import { Badge } from '../ui/badge.tsx';
import { formatDuration } from '../ui/format.ts';
import { PlainText } from '../ui/plain-text.tsx';
import { Time } from '../ui/time.tsx';
import { StatusBadge } from './run-status.tsx';
import { UsageFacts } from './timeline/turn-row.tsx';

const PROMPT_LENGTH = 240;
const ANSWER_LENGTH = 200;

/** A run in the list: state, task, outcome and figures. The whole line is its link. */
export function RunLine({ run }: { readonly run: Run }): ReactNode {
  const { prompt, answer, error, finished_at, started_at, inbox } = run;
  const outcome = error?.message ?? answer ?? '';
  return (
    <article className="run-line">
      <StatusBadge status={run.status} />
      <div className="run-line-text">
        <Link href={`/runs/${run.id}`}>
          <PlainText text={prompt.slice(0, PROMPT_LENGTH)} />
        </Link>
        {outcome !== '' && (
          <p className={error === undefined ? 'faint' : 'outcome-error'}>
            <PlainText text={outcome.slice(0, ANSWER_LENGTH).replace(/\s+/g, ' ')} />
          </p>
        )}
        {inbox.length > 0 && run.status === 'input_required' && (
          <p className="faint">
            {inbox.length === 1 ? 'A question waits' : `${inbox.length} questions wait`} for a
            person.
          </p>
        )}
      </div>
      <div className="run-line-facts faint">
        <Time at={run.created_at} />
        {started_at !== undefined && finished_at !== undefined && (
          <span>{formatDuration(Date.parse(finished_at) - Date.parse(started_at))}</span>
        )}
        {run.usage !== undefined && <UsageFacts usage={run.usage} />}
        {Object.entries(run.metadata)
          .slice(0, 3)
          .map(([name, value]) => (
            <Badge key={name}>
              <PlainText text={`${name}=${value}`.slice(0, 40)} />
            </Badge>
          ))}
      </div>
    </article>
  );
}
