import type { ReactNode } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { LongText, PlainText } from '../../ui/plain-text.tsx';
import { RichText } from '../../ui/rich-text/rich-text.tsx';
import type { MessageEntry } from './entries.ts';

/** A message of the model, also while it is written. */
export function MessageRow({ entry }: { readonly entry: MessageEntry }): ReactNode {
  const { text, reasoning, drafts, state } = entry;
  return (
    <div className={`message ${state}`}>
      {reasoning !== '' && (
        <details className="reasoning" open={state === 'writing' && text === ''}>
          <summary>Reasoning</summary>
          <LongText text={reasoning} />
        </details>
      )}
      {text !== '' && (state === 'complete' ? <RichText text={text} /> : <LongText text={text} />)}
      {state === 'writing' && text === '' && reasoning === '' && drafts.length === 0 && (
        <span className="faint">…</span>
      )}
      {drafts.map(
        (draft, index) =>
          draft.text !== '' && (
            // Drafts have no other identity than their place.
            // oxlint-disable-next-line react/no-array-index-key
            <p key={index} className="draft">
              <Badge tone="busy">Writing a call</Badge> <code>{draft.name}</code>{' '}
              <code className="faint">
                <PlainText text={draft.text.slice(-300)} />
              </code>
            </p>
          ),
      )}
      {state === 'discarded' && <Badge tone="warn">Discarded: the model was called again</Badge>}
      {state === 'partial' && <Badge tone="warn">Incomplete</Badge>}
    </div>
  );
}
