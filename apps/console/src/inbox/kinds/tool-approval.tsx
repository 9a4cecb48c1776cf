import { ProblemError } from '@signalbox/client';
import { useState, type ReactNode } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { DiffView } from '../../ui/diff/diff-view.tsx';
import { Icon } from '../../ui/icon.tsx';
import { JsonTree } from '../../ui/json-tree.tsx';
import { LongText, PlainText } from '../../ui/plain-text.tsx';
import { errorsBelow, type FormValue } from '../../ui/schema-form/form-value.ts';
import { JsonField } from '../../ui/schema-form/json-field.tsx';
import { SchemaForm } from '../../ui/schema-form/schema-form.tsx';
import { isRecord } from '../../ui/schema-form/field-kind.ts';
import { PinNotice } from '../../servers/pin-notice.tsx';
import { useServerTool } from '../../servers/server-queries.ts';
import { AnswerForm, withNote } from '../answer-form.tsx';
import type { ItemOf } from '../item-of.ts';
import { ACTION_KEYS } from '../shortcuts.ts';
import { textEdits } from '../text-edits.ts';
import { toolEffects } from '../tool-effects.ts';
import { useRespond } from '../use-respond.ts';

const SCOPES = {
  call: { label: 'This call only', hint: 'The next call asks again.' },
  run: {
    label: 'This run',
    hint: 'Later calls of the tool in this run are sent unasked, with any arguments.',
  },
  thread: {
    label: 'This thread',
    hint: 'Later calls of the tool in every run of the thread are sent unasked, with any arguments.',
  },
} as const;

const REQUIRED_BY = {
  configuration: 'The configuration of the service requires an approval.',
  run: 'Only a rule of this run requires an approval.',
} as const;

/** Asks whether a call may be sent. The arguments can be changed before. */
export function ToolApproval({ item }: { readonly item: ItemOf<'tool_approval'> }): ReactNode {
  const { request } = item;
  const [edited, setEdited] = useState<FormValue>();
  const [remember, setRemember] = useState<keyof typeof SCOPES>('call');
  const [note, setNote] = useState('');
  const answer = useRespond(item);
  const errors =
    answer.error instanceof ProblemError ? errorsBelow(answer.error.fields, '/body/arguments') : {};
  const isChanged = edited !== undefined && textOf(edited) !== textOf(request.arguments);
  return (
    <AnswerForm
      primary={{
        label: isChanged ? 'Approve with changes' : 'Approve',
        icon: 'check',
        onSubmit: () =>
          answer.mutate({
            action: 'approve',
            ...(remember === 'call' ? {} : { remember }),
            ...(isChanged ? { arguments: edited } : {}),
            ...withNote(note),
          }),
      }}
      others={[
        {
          label: 'Deny',
          kind: 'danger',
          onChoose: () => answer.mutate({ action: 'deny', ...withNote(note) }),
        },
      ]}
      note={{ value: note, onChange: setNote }}
      answer={answer}
    >
      {request.reason !== undefined && (
        <div className="notice warn">
          <Icon name="alert" />
          <div>
            <strong>This call was approved before, and needs a new approval</strong>
            <p>
              <PlainText text={request.reason} />
            </p>
          </div>
        </div>
      )}
      <section aria-label="Effects">
        <Effects item={item} />
      </section>
      <section>
        <div className="section-title">
          <h3>Arguments</h3>
          <span data-shortcut={edited === undefined ? ACTION_KEYS.edit : undefined}>
            <Button
              kind="quiet"
              onClick={() => setEdited(edited === undefined ? request.arguments : undefined)}
            >
              {edited === undefined ? 'Edit the arguments' : 'Discard my changes'}
            </Button>
          </span>
        </div>
        {edited === undefined ? (
          <Arguments args={request.arguments} />
        ) : (
          <ArgumentsForm item={item} value={edited} onChange={setEdited} errors={errors} />
        )}
        {isChanged && (
          <DiffView
            label="Your changes"
            before={textOf(request.arguments)}
            after={textOf(edited)}
          />
        )}
      </section>
      {request.model_arguments !== undefined && (
        <section>
          <h3>A person changed the arguments of the model</h3>
          <DiffView
            label="Changes of the arguments"
            before={textOf(request.model_arguments)}
            after={textOf(request.arguments)}
          />
        </section>
      )}
      {request.remember.length > 1 && (
        <fieldset className="field">
          <legend>Approve</legend>
          {request.remember.map((scope) => (
            <label key={scope} className="check">
              <input
                type="radio"
                name="remember"
                checked={remember === scope}
                onChange={() => setRemember(scope)}
              />
              <span>
                {SCOPES[scope].label} <span className="faint">{SCOPES[scope].hint}</span>
              </span>
            </label>
          ))}
        </fieldset>
      )}
    </AnswerForm>
  );
}

function Effects({ item: { request } }: { readonly item: ItemOf<'tool_approval'> }): ReactNode {
  return (
    <>
      <ul className="badges">
        {toolEffects(request.annotations).map(({ text, tone }) => (
          <li key={text}>
            <Badge tone={tone}>{text}</Badge>
          </li>
        ))}
      </ul>
      {request.required_by !== undefined && (
        <p className="faint">{REQUIRED_BY[request.required_by]}</p>
      )}
      {!request.trusted && (
        <p className="faint">
          The server says so about itself; the configuration does not trust its hints.
        </p>
      )}
      <details className="raw">
        <summary>Description of the tool</summary>
        <LongText text={request.description} />
      </details>
      <PinNotice server={request.server} tool={request.tool} />
    </>
  );
}

function Arguments({ args }: { readonly args: FormValue }): ReactNode {
  const edits = textEdits(args);
  if (Object.keys(args).length === 0) return <p className="faint">The call has no arguments.</p>;
  return (
    <>
      {edits.map(({ before, after }, index) => (
        // Edits have no other identity than their place.
        // oxlint-disable-next-line react/no-array-index-key
        <DiffView key={index} label={`Edit ${index + 1}`} before={before} after={after} />
      ))}
      <JsonTree value={args} />
    </>
  );
}

interface ArgumentsFormProps {
  readonly item: ItemOf<'tool_approval'>;
  readonly value: FormValue;
  readonly onChange: (value: FormValue) => void;
  readonly errors: { readonly [pointer: string]: string };
}

function ArgumentsForm({ item, value, onChange, errors }: ArgumentsFormProps): ReactNode {
  const { data: tool, isPending } = useServerTool(item.request.server, item.request.tool);
  if (isPending) return <p className="faint">Loading the schema of the tool…</p>;
  return tool === undefined ? (
    <JsonField
      label="Arguments as JSON"
      value={value}
      onChange={(next) => onChange(isRecord(next) ? next : {})}
      error={errors['']}
    />
  ) : (
    <SchemaForm schema={tool.input_schema} value={value} onChange={onChange} errors={errors} />
  );
}

function textOf(value: FormValue): string {
  return JSON.stringify(value, undefined, 2);
}
