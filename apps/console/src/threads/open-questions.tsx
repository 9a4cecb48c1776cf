import { isSettled, type InboxItem, type Run } from '@signalbox/client';
import type { ReactNode } from 'react';
import { Link } from '../app/link.tsx';
import { QuickApproval } from '../runs/quick-approval.tsx';
import { Icon } from '../ui/icon.tsx';
import { JsonTree } from '../ui/json-tree.tsx';
import { PlainText } from '../ui/plain-text.tsx';

/** Questions that the run waits for. An approval can be given here; the inbox has every other answer. */
export function OpenQuestions({ run }: { readonly run: Run }): ReactNode {
  if (isSettled(run)) return null;
  return run.inbox.map((item) => <Question key={item.id} item={item} />);
}

function Question({ item }: { readonly item: InboxItem }): ReactNode {
  return (
    <div className="notice warn">
      <Icon name="approve" />
      <div className="chat-question">
        <strong tabIndex={-1} data-question="open">
          <PlainText text={titleOf(item)} />
        </strong>
        {item.kind === 'tool_approval' && <JsonTree value={item.request.arguments} />}
        <div className="actions">
          {item.kind === 'tool_approval' && <QuickApproval itemId={item.id} />}
          <Link className="button" href={`/inbox/${encodeURIComponent(item.id)}`}>
            {item.kind === 'tool_approval' ? 'Review' : 'Answer'}
          </Link>
        </div>
      </div>
    </div>
  );
}

function titleOf(item: InboxItem): string {
  switch (item.kind) {
    case 'tool_approval':
      return `May the run call ${item.request.tool}?`;
    case 'elicitation_form':
    case 'elicitation_url':
      return item.request.message;
    case 'outcome_unknown':
      return 'The result of a call was lost. What should happen?';
    case 'sampling_approval':
      return 'A server wants to use the model.';
    case 'sampling_reply':
      return 'A server is about to receive the reply of the model.';
    default:
      return 'The run waits for a person.';
  }
}
