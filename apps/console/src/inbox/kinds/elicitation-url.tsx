import type { ReactNode } from 'react';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { LongText, PlainText } from '../../ui/plain-text.tsx';
import { AnswerForm } from '../answer-form.tsx';
import { ExternalAddress } from '../external-address.tsx';
import type { ItemOf } from '../item-of.ts';
import { useRespond } from '../use-respond.ts';

/** Asks the person to open an address of a server. The console never opens it by itself. */
export function ElicitationUrl({ item }: { readonly item: ItemOf<'elicitation_url'> }): ReactNode {
  const { request } = item;
  const answer = useRespond(item);
  return (
    <AnswerForm
      primary={{
        label: 'I will complete it there',
        icon: 'check',
        onSubmit: () => answer.mutate({ action: 'accept' }),
      }}
      others={[
        {
          label: 'Decline',
          kind: 'danger',
          onChoose: () => answer.mutate({ action: 'decline' }),
        },
        {
          label: 'Dismiss',
          kind: 'quiet',
          onChoose: () => answer.mutate({ action: 'cancel' }),
        },
      ]}
      answer={answer}
    >
      <LongText text={request.message} />
      {request.warnings.length > 0 && (
        <div className="notice warn">
          <Icon name="alert" />
          <div>
            <strong>Look at the address before you open it</strong>
            <ul>
              {request.warnings.map((warning) => (
                <li key={warning}>
                  <PlainText text={warning} />
                </li>
              ))}
            </ul>
          </div>
        </div>
      )}
      <ExternalAddress url={request.url} host={request.host} />
      <div>
        <CopyButton label="Copy the address" text={request.url} />
      </div>
      <p className="faint">
        The page belongs to the server <code>{request.server}</code>, not to Signalbox. What you
        enter there is not seen by Signalbox or the model.
      </p>
    </AnswerForm>
  );
}
