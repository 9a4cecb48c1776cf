import { useMutation } from '@tanstack/react-query';
import { isSettled, type InboxItem, type Run } from '@signalbox/client';
import type { ReactNode } from 'react';
import { Link } from '../app/link.tsx';
import { useClient } from '../app/session.tsx';
import { Button } from '../ui/button.tsx';
import { describeError } from '../ui/error-notice.tsx';
import { Icon } from '../ui/icon.tsx';
import { JsonTree } from '../ui/json-tree.tsx';
import { PlainText } from '../ui/plain-text.tsx';
import { useToast } from '../ui/toast.tsx';

/** What the run waits for. An approval can be given here; the inbox has every other answer. */
export function OpenQuestions({ run }: { readonly run: Run }): ReactNode {
  if (isSettled(run)) return null;
  return run.inbox.map((item) => <Question key={item.id} item={item} />);
}

function Question({ item }: { readonly item: InboxItem }): ReactNode {
  return (
    <div className="notice warn" role="status">
      <Icon name="approve" />
      <div className="question">
        <strong>
          <PlainText text={titleOf(item)} />
        </strong>
        {item.kind === 'tool_approval' && <JsonTree value={item.request.arguments} />}
        <div className="actions">
          {item.kind === 'tool_approval' && <Approval item={item} />}
          <Link className="button" href={`/inbox/${encodeURIComponent(item.id)}`}>
            {item.kind === 'tool_approval' ? 'Review' : 'Answer'}
          </Link>
        </div>
      </div>
    </div>
  );
}

function Approval({
  item,
}: {
  readonly item: Extract<InboxItem, { readonly kind: 'tool_approval' }>;
}): ReactNode {
  const { inbox } = useClient();
  const toast = useToast();
  const answer = useMutation({
    mutationFn: (action: 'approve' | 'deny') => inbox.respond(item, { action }),
    onError: (error) => toast(describeError(error), 'bad'),
  });
  return (
    <>
      <Button
        kind="primary"
        icon="check"
        isBusy={answer.isPending}
        onClick={() => answer.mutate('approve')}
      >
        Approve
      </Button>
      <Button isBusy={answer.isPending} onClick={() => answer.mutate('deny')}>
        Deny
      </Button>
    </>
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
