import { useState, type ReactNode } from 'react';
import { JsonTree } from '../../ui/json-tree.tsx';
import { LongText } from '../../ui/plain-text.tsx';
import { AnswerForm, withNote } from '../answer-form.tsx';
import type { ItemOf } from '../item-of.ts';
import { useRespond } from '../use-respond.ts';

/** Asks what became of a call whose result was lost. */
export function OutcomeUnknown({ item }: { readonly item: ItemOf<'outcome_unknown'> }): ReactNode {
  const { request } = item;
  const [note, setNote] = useState('');
  const answer = useRespond(item);
  const answerWith = (action: 'retry' | 'mark_done' | 'fail'): void =>
    answer.mutate({ action, ...withNote(note) });
  return (
    <AnswerForm
      primary={{ label: 'Mark as done', icon: 'check', onSubmit: () => answerWith('mark_done') }}
      others={[
        { label: 'Mark as failed', kind: 'danger', onChoose: () => answerWith('fail') },
        { label: 'Send it again', onChoose: () => answerWith('retry') },
      ]}
      note={{ value: note, onChange: setNote }}
      answer={answer}
    >
      <LongText text={request.message} />
      <dl className="fact-list">
        <div>
          <dt>Mark as done</dt>
          <dd>It happened. The model reads that the call is done and continues.</dd>
        </div>
        <div>
          <dt>Mark as failed</dt>
          <dd>It did not happen. The model reads a failure and decides what to do.</dd>
        </div>
        <div>
          <dt>Send it again</dt>
          <dd>If it did happen, it may happen twice. This was attempt {request.attempt}.</dd>
        </div>
      </dl>
      <section>
        <h3>Arguments</h3>
        <JsonTree value={request.arguments} />
      </section>
    </AnswerForm>
  );
}
