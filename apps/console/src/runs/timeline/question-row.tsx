import type { ReactNode } from 'react';
import { Link } from '../../app/link.tsx';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Icon } from '../../ui/icon.tsx';
import { PlainText } from '../../ui/plain-text.tsx';
import { QuickApproval } from '../quick-approval.tsx';
import type { QuestionEntry } from './entries.ts';
import { EventPlace } from './row-tools.tsx';

const TITLES: { readonly [kind in QuestionEntry['opened']['kind']]: string } = {
  tool_approval: 'Approval',
  elicitation_form: 'Question',
  elicitation_url: 'Page to open',
  sampling_approval: 'Model call of a server',
  sampling_reply: 'Reply for a server',
  outcome_unknown: 'Unknown outcome',
  server_login: 'Login',
};

const STATES: { readonly [state in QuestionEntry['state']]: readonly [string, Tone] } = {
  open: ['Waits for a person', 'warn'],
  answered: ['Answered', 'good'],
  delivered: ['Answered', 'good'],
  void: ['Withdrawn', 'neutral'],
  expired: ['Expired', 'bad'],
};

/** A question to a person, with the answer when there is one. */
export function QuestionRow({ entry }: { readonly entry: QuestionEntry }): ReactNode {
  const [label, tone] = STATES[entry.state];
  return (
    <div className={`card question-card ${entry.state}`}>
      <div className="row-title">
        <h2 tabIndex={-1} data-question={entry.state}>
          <Icon name="approve" />
          {TITLES[entry.opened.kind]}
        </h2>
        <Badge tone={tone}>{label}</Badge>
        <EventPlace seq={entry.seq} at={entry.at} />
      </div>
      <p>
        <PlainText text={textOf(entry)} />
      </p>
      {entry.response !== undefined && (
        <p className="faint">
          Answer: <code>{entry.response.action}</code>
          {entry.response.note !== undefined && (
            <>
              {' '}
              — <PlainText text={entry.response.note} />
            </>
          )}
        </p>
      )}
      {entry.reason !== undefined && (
        <p className="faint">
          <PlainText text={entry.reason} />
        </p>
      )}
      {entry.state === 'open' && (
        <div className="actions">
          {entry.opened.kind === 'tool_approval' && <QuickApproval itemId={entry.itemId} />}
          <Link className="button" href={`/inbox/${encodeURIComponent(entry.itemId)}`}>
            Open in the inbox
          </Link>
        </div>
      )}
    </div>
  );
}

function textOf({ opened }: QuestionEntry): string {
  switch (opened.kind) {
    case 'tool_approval':
      return `${opened.request.name} needs an approval before it runs.${
        opened.request.reason === undefined ? '' : ` ${opened.request.reason}`
      }`;
    case 'elicitation_form':
    case 'elicitation_url':
      return opened.request.message;
    case 'sampling_approval':
      return `${opened.request.server} wants to use the model.`;
    case 'sampling_reply':
      return `${opened.request.server} is about to receive the reply of the model.`;
    case 'outcome_unknown':
      return `${opened.request.name} was sent and its result was lost. Did it happen?`;
    case 'server_login':
      return `${opened.request.server} needs a login before it can be used.`;
  }
}
