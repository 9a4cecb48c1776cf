import { ProblemError } from '@signalbox/client';
import { useState, type ReactNode } from 'react';
import { LongText } from '../../ui/plain-text.tsx';
import { errorsBelow } from '../../ui/schema-form/form-value.ts';
import { initialValue } from '../../ui/schema-form/initial-value.ts';
import { SchemaForm } from '../../ui/schema-form/schema-form.tsx';
import { AnswerForm } from '../answer-form.tsx';
import { contentOf, schemaOfFields } from '../form-fields.ts';
import type { ItemOf } from '../item-of.ts';
import { ACTION_KEYS } from '../shortcuts.ts';
import { useRespond } from '../use-respond.ts';

/** Asks the questions of a server. */
export function ElicitationForm({
  item,
}: {
  readonly item: ItemOf<'elicitation_form'>;
}): ReactNode {
  const fields = item.fields ?? [];
  const schema = schemaOfFields(fields);
  const [value, setValue] = useState(() => initialValue(schema));
  const answer = useRespond(item);
  const errors =
    answer.error instanceof ProblemError ? errorsBelow(answer.error.fields, '/body/content') : {};
  return (
    <AnswerForm
      primary={{
        label: 'Send',
        icon: 'check',
        onSubmit: () => answer.mutate({ action: 'accept', content: contentOf(fields, value) }),
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
      <LongText text={item.request.message} />
      <p className="faint">
        The server <code>{item.request.server}</code> receives what you enter. Do not enter
        passwords or keys.
      </p>
      <div data-shortcut={ACTION_KEYS.edit}>
        <SchemaForm schema={schema} value={value} onChange={setValue} errors={errors} />
      </div>
    </AnswerForm>
  );
}
