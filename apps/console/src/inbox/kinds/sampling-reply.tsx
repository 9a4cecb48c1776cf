import { useState, type ReactNode } from 'react';
import { JsonTree } from '../../ui/json-tree.tsx';
import { PlainText } from '../../ui/plain-text.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { AnswerForm } from '../answer-form.tsx';
import type { ItemOf } from '../item-of.ts';
import { ACTION_KEYS } from '../shortcuts.ts';
import { useRespond } from '../use-respond.ts';

/** Asks whether a server may get the reply of the model. The text can be changed before. */
export function SamplingReply({ item }: { readonly item: ItemOf<'sampling_reply'> }): ReactNode {
  const { request } = item;
  const [text, setText] = useState(request.text);
  const answer = useRespond(item);
  const isChanged = text !== request.text;
  const hasToolCalls = request.content !== undefined;
  return (
    <AnswerForm
      primary={{
        label: isChanged ? 'Send with changes' : 'Send',
        icon: 'check',
        onSubmit: () =>
          answer.mutate({ action: 'approve', ...(isChanged && { content: { text } }) }),
      }}
      others={[
        { label: 'Deny', kind: 'danger', onChoose: () => answer.mutate({ action: 'deny' }) },
      ]}
      answer={answer}
    >
      <p>
        The server <code>{request.server}</code> is about to get this reply of the model{' '}
        <strong>
          <PlainText text={request.model} />
        </strong>
        {request.stop_reason !== undefined && (
          <>
            {' '}
            (stopped: <PlainText text={request.stop_reason} />)
          </>
        )}
        .
      </p>
      {hasToolCalls ? (
        <JsonTree value={request.content} openLevels={3} />
      ) : (
        <div data-shortcut={ACTION_KEYS.edit}>
          <TextField
            label="Reply"
            type="multiline"
            limits={{ maxLength: 100_000 }}
            value={text}
            onChange={setText}
          />
        </div>
      )}
    </AnswerForm>
  );
}
