import { useState, type ReactNode } from 'react';
import { JsonTree } from '../../ui/json-tree.tsx';
import { PlainText } from '../../ui/plain-text.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { AnswerForm, withNote } from '../answer-form.tsx';
import type { ItemOf } from '../item-of.ts';
import { changedMessages, messageTexts } from '../sampling-texts.ts';
import { ACTION_KEYS } from '../shortcuts.ts';
import { useRespond } from '../use-respond.ts';

/** Asks whether a server may use the model, with the messages that it wants to send. Texts can be changed before. */
export function SamplingApproval({
  item,
}: {
  readonly item: ItemOf<'sampling_approval'>;
}): ReactNode {
  const { request } = item;
  const [texts, setTexts] = useState<{ readonly [place: string]: string }>({});
  const [systemPrompt, setSystemPrompt] = useState(request.system_prompt ?? '');
  const [maxTokens, setMaxTokens] = useState(String(request.max_tokens));
  const [note, setNote] = useState('');
  const answer = useRespond(item);
  const tokens = Number(maxTokens);
  const content = {
    ...(Object.keys(texts).length > 0 && { messages: changedMessages(request.messages, texts) }),
    ...(systemPrompt !== (request.system_prompt ?? '') && { system_prompt: systemPrompt }),
    ...(tokens !== request.max_tokens && { max_tokens: tokens }),
  };
  const isChanged = Object.keys(content).length > 0;
  return (
    <AnswerForm
      primary={{
        label: isChanged ? 'Approve with changes' : 'Approve',
        icon: 'check',
        onSubmit: () =>
          answer.mutate({ action: 'approve', ...(isChanged && { content }), ...withNote(note) }),
      }}
      others={[
        {
          label: 'Deny',
          kind: 'danger',
          onChoose: () => answer.mutate({ action: 'deny', ...withNote(note) }),
        },
      ]}
      answer={answer}
    >
      <p>
        The server <code>{request.server}</code> wants the model{' '}
        <strong>
          <PlainText text={request.model} />
        </strong>{' '}
        to answer these messages, during its call <code>{request.name}</code>. You pay for the
        tokens, and the server reads the reply.
      </p>
      <div className="sampling" data-shortcut={ACTION_KEYS.edit}>
        {request.messages.map((message, index) => (
          // Messages have no other identity than their place.
          // oxlint-disable-next-line react/no-array-index-key
          <section key={index} className="sampling-message">
            <h3>{message['role'] === 'assistant' ? 'Assistant' : 'User'}</h3>
            {messageTexts(message, index).map((part) =>
              part.text === undefined ? (
                <JsonTree key={part.place} value={part.block} openLevels={1} />
              ) : (
                <TextField
                  key={part.place}
                  label="Text"
                  type="multiline"
                  limits={{ maxLength: 200_000 }}
                  value={texts[part.place] ?? part.text}
                  onChange={(text) => setTexts({ ...texts, [part.place]: text })}
                />
              ),
            )}
          </section>
        ))}
        <TextField
          label="System prompt"
          type="multiline"
          value={systemPrompt}
          onChange={setSystemPrompt}
        />
        <TextField
          label="Output tokens, at most"
          type="number"
          isRequired
          limits={{ min: 1, max: request.max_tokens }}
          value={maxTokens}
          onChange={setMaxTokens}
        />
      </div>
      {request.tools !== undefined && request.tools.length > 0 && (
        <details className="raw">
          <summary>Tools for the model ({request.tools.length})</summary>
          <JsonTree value={request.tools} openLevels={1} />
        </details>
      )}
      {request.model_preferences !== undefined && (
        <details className="raw">
          <summary>Preferences of the server</summary>
          <JsonTree value={request.model_preferences} />
        </details>
      )}
      <NoteField value={note} onChange={setNote} />
    </AnswerForm>
  );
}

function NoteField({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (note: string) => void;
}): ReactNode {
  return (
    <div data-shortcut={ACTION_KEYS.note}>
      <TextField
        label="Note"
        hint="Optional. It is stored with the decision."
        limits={{ maxLength: 2000 }}
        value={value}
        onChange={onChange}
      />
    </div>
  );
}
