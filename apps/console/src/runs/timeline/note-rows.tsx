import type { RunEvent } from '@signalbox/client';
import type { ReactNode } from 'react';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { JsonTree } from '../../ui/json-tree.tsx';
import { LongText, PlainText } from '../../ui/plain-text.tsx';
import { jsonIn } from '../result/json-in.ts';
import { ResultView } from '../result/result-view.tsx';
import { RichText } from '../../ui/rich-text/rich-text.tsx';
import type { EndEntry, NoteEntry, PromptEntry } from './entries.ts';
import { EventPlace } from './row-tools.tsx';

/** The task of the run. */
export function PromptRow({ entry }: { readonly entry: PromptEntry }): ReactNode {
  const { prompt, servers } = entry.event.data;
  return (
    <div className="card prompt-card">
      <div className="row-title">
        <h2>Task</h2>
        <EventPlace seq={entry.seq} at={entry.at} />
      </div>
      <LongText text={prompt} />
      {servers !== undefined && <p className="faint">Servers: {servers.join(', ')}</p>}
    </div>
  );
}

/** A short note about something that happened in the run. */
export function NoteRow({ entry }: { readonly entry: NoteEntry }): ReactNode {
  const [label, tone, text] = noteOf(entry.event);
  return (
    <div className="note">
      <Badge tone={tone}>{label}</Badge>
      {text !== '' && <PlainText text={text} />}
      <EventPlace seq={entry.seq} at={entry.at} />
    </div>
  );
}

type Note = readonly [label: string, tone: Tone, text: string];

function noteOf(event: RunEvent): Note {
  switch (event.type) {
    case 'run.resumed':
      return ['Resumed', 'accent', event.data.reason];
    case 'run.cancelling':
      return ['Cancelling', 'warn', event.data.reason ?? ''];
    case 'limit.warning':
      return ['Close to a limit', 'warn', limitText(event.data)];
    case 'limit.exceeded':
      return ['Limit reached', 'bad', limitText(event.data)];
    case 'turn.output_rejected':
      return ['Answer rejected', 'warn', JSON.stringify(event.data.problems)];
    case 'inbox.completed':
      return ['Completed', 'good', 'the server reported that the page was completed'];
    default:
      return [event.type, 'neutral', JSON.stringify(event.data).slice(0, 300)];
  }
}

function limitText({ limit, used, allowed }: { limit: string; used: number; allowed: number }) {
  return `${limit}: ${used} of ${allowed}`;
}

/** The end of the run: its answer or its error. */
export function EndRow({ entry }: { readonly entry: EndEntry }): ReactNode {
  const { event } = entry;
  const answer = 'answer' in event.data ? event.data.answer : undefined;
  const error = 'error' in event.data ? event.data.error : undefined;
  const output = 'output' in event.data ? event.data.output : undefined;
  return (
    <div className={`card end-card ${event.type === 'run.completed' ? 'good' : 'bad'}`}>
      <div className="row-title">
        <h2>
          <Icon name={event.type === 'run.completed' ? 'check' : 'error'} />
          {END_TITLES[event.type]}
        </h2>
        {answer !== undefined && <CopyButton label="Copy" text={answer} />}
        <EventPlace seq={entry.seq} at={entry.at} />
      </div>
      {error !== undefined && (
        <p>
          <code>{error.code}</code> <PlainText text={error.message} />
        </p>
      )}
      {event.type === 'run.cancelled' && event.data.reason !== undefined && (
        <p>
          <PlainText text={event.data.reason} />
        </p>
      )}
      {output !== undefined ? (
        <JsonTree value={output} />
      ) : (
        answer !== undefined && <Answer text={answer} />
      )}
    </div>
  );
}

/** The answer of a call without a model is the result of its tool, often JSON. */
function Answer({ text }: { readonly text: string }): ReactNode {
  return jsonIn(text) === undefined ? (
    <RichText text={text} />
  ) : (
    <ResultView result={{ content: [{ type: 'text', text }] }} />
  );
}

const END_TITLES: { readonly [type in EndEntry['event']['type']]: string } = {
  'run.completed': 'Answer',
  'run.failed': 'Failed',
  'run.cancelled': 'Cancelled',
  'run.expired': 'Expired',
};
