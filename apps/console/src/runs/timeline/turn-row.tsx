import { isSettled, type Run } from '@signalbox/client';
import type { ReactNode } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { formatCompact, formatCost, formatDuration } from '../../ui/format.ts';
import { PlainText } from '../../ui/plain-text.tsx';
import { Time } from '../../ui/time.tsx';
import type { TurnEntry, Usage } from './entries.ts';
import { EventPlace, useElapsed } from './row-tools.tsx';

interface TurnRowProps {
  readonly entry: TurnEntry;
  readonly run: Run;
  readonly onFork: (turn: number) => void;
}

/** The start of a turn: model, time, tokens, cost and failed attempts. */
export function TurnRow({ entry, run, onFork }: TurnRowProps): ReactNode {
  const elapsed = useElapsed(entry.spans, ['model']);
  return (
    <>
      <div className="turn-line">
        <h2>Turn {entry.turn}</h2>
        {entry.state === 'running' && !isSettled(run) && (
          <Badge tone="busy" isLive>
            Thinking
          </Badge>
        )}
        {entry.state === 'failed' && <Badge tone="bad">Failed</Badge>}
        {entry.state === 'cancelled' && <Badge>Cancelled</Badge>}
        <span className="faint facts">
          <span>{entry.model}</span>
          <span>{formatDuration(elapsed)}</span>
          {entry.usage !== undefined && <UsageFacts usage={entry.usage} />}
          {entry.stopReason === 'max_tokens' && <span>stopped at the token limit</span>}
        </span>
        <span className="row-actions">
          {entry.state === 'completed' && (
            <Button kind="quiet" icon="fork" onClick={() => onFork(entry.turn)}>
              Fork<span className="visually-hidden"> after turn {entry.turn}</span>
            </Button>
          )}
          <EventPlace seq={entry.seq} at={entry.at} />
        </span>
      </div>
      {entry.failures.map(({ at, message, nextAt }) => (
        <p key={at} className="attempt">
          <Badge tone="warn">Failed attempt</Badge> <PlainText text={message} />
          {nextAt !== undefined && entry.state === 'running' && (
            <span className="faint">
              {' '}
              · next attempt <Time at={nextAt} />
            </span>
          )}
        </p>
      ))}
    </>
  );
}

/** Tokens and cost of model calls. */
export function UsageFacts({ usage }: { readonly usage: Usage }): ReactNode {
  const { input, output, cache_read, reasoning, cost_usd, source } = usage;
  const details = [
    `${input} input tokens`,
    ...(cache_read > 0 ? [`of which ${cache_read} from the cache`] : []),
    `${output} output tokens`,
    ...(reasoning > 0 ? [`of which ${reasoning} for reasoning`] : []),
    ...(source === 'reported' ? [] : [`${source}, not reported by the provider`]),
  ];
  return (
    <>
      <span title={details.join(', ')}>
        {source === 'estimated' && '≈ '}
        {formatCompact(input)} in, {formatCompact(output)} out
      </span>
      {cost_usd !== undefined && <span>{formatCost(cost_usd)}</span>}
    </>
  );
}
