import type { ReactNode } from 'react';
import { LoginPanel } from '../../servers/login-panel.tsx';
import { LongText } from '../../ui/plain-text.tsx';
import { AnswerForm } from '../answer-form.tsx';
import type { ItemOf } from '../item-of.ts';
import { useRespond } from '../use-respond.ts';

/** Asks a person to log in to a server that a run needs. The login itself answers the item. */
export function ServerLogin({ item }: { readonly item: ItemOf<'server_login'> }): ReactNode {
  const { request } = item;
  const answer = useRespond(item);
  return (
    <div className="answer-form">
      <LongText text={request.message} />
      <LoginPanel server={request.server} login={request} />
      <AnswerForm
        primary={{
          label: 'I logged in elsewhere: try again',
          icon: 'retry',
          onSubmit: () => answer.mutate({ action: 'retry' }),
        }}
        others={[
          {
            label: 'Continue without the server',
            kind: 'danger',
            onChoose: () => answer.mutate({ action: 'decline' }),
          },
        ]}
        answer={answer}
      >
        {null}
      </AnswerForm>
    </div>
  );
}
