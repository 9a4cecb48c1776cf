import { memo, type ReactNode } from 'react';
import { Link } from '../app/link.tsx';
import { Icon, type IconName } from '../ui/icon.tsx';
import { JsonTree } from '../ui/json-tree.tsx';
import { LongText, PlainText } from '../ui/plain-text.tsx';
import { printable } from '../ui/printable.ts';
import { RichText } from '../ui/rich-text/rich-text.tsx';
import type { ChatCall, ChatCallState, ChatPart, ChatText } from './chat-part.ts';

interface ChatPartsProps {
  readonly runId: string;
  readonly parts: readonly ChatPart[];
}

/** The texts and the folded calls of an answer. */
export function ChatParts({ runId, parts }: ChatPartsProps): ReactNode {
  return parts.map((part) =>
    part.kind === 'call' ? (
      <Call key={part.key} runId={runId} call={part} />
    ) : part.kind === 'reasoning' ? (
      <Reasoning key={part.key} part={part} />
    ) : (
      <Text key={part.key} part={part} />
    ),
  );
}

const Text = memo(function Text({ part }: { readonly part: ChatText }): ReactNode {
  return (
    <div className={part.isWriting ? 'chat-text is-writing' : 'chat-text'}>
      {part.isWriting ? <LongText text={part.text} /> : <RichText text={part.text} />}
    </div>
  );
});

const Reasoning = memo(function Reasoning({ part }: { readonly part: ChatText }): ReactNode {
  return (
    <details className="chat-fold">
      <summary>
        <Icon name="chevron" />
        <span className="faint">{part.isWriting ? 'Thinking…' : 'Reasoning'}</span>
      </summary>
      <div className="chat-fold-body faint">
        <LongText text={part.text} />
      </div>
    </details>
  );
});

const STATES: {
  readonly [state in ChatCallState]: { readonly label: string; readonly icon: IconName };
} = {
  running: { label: 'running', icon: 'clock' },
  asking: { label: 'needs an answer', icon: 'approve' },
  done: { label: 'done', icon: 'check' },
  failed: { label: 'failed', icon: 'error' },
  cancelled: { label: 'cancelled', icon: 'cancel' },
};

interface CallProps {
  readonly runId: string;
  readonly call: ChatCall;
}

const Call = memo(function Call({ runId, call }: CallProps): ReactNode {
  const { label, icon } = STATES[call.state];
  const hash = call.seq === undefined ? '' : `#event-${call.seq}`;
  return (
    <details className={`chat-fold chat-call ${call.state}`}>
      <summary>
        <Icon name="chevron" />
        <Icon name={icon} />
        <span className="chat-call-name">
          <PlainText text={call.name} />
        </span>
        <span className="chat-call-preview faint">
          {printable(call.note ?? previewOf(call.arguments))}
        </span>
        <span className="chat-call-state">{label}</span>
      </summary>
      <div className="chat-fold-body">
        <h2>Arguments</h2>
        <JsonTree value={call.arguments} />
        {call.note !== undefined && call.state === 'failed' && call.note !== call.result && (
          <p className="chat-call-failure">
            <PlainText text={call.note} />
          </p>
        )}
        {call.result !== undefined && call.result !== '' && (
          <>
            <h2>Result</h2>
            <LongText text={call.result} isCode />
          </>
        )}
        <p>
          <Link href={`/runs/${encodeURIComponent(runId)}${hash}`}>Open the call in its run</Link>
        </p>
      </div>
    </details>
  );
});

/** Characters of the arguments in the line of a call. */
const MAX_PREVIEW = 120;

function previewOf(input: unknown): string {
  // A call without arguments has undefined, of which there is no JSON.
  const text = JSON.stringify(input ?? {});
  return text === '{}' ? '' : text.slice(0, MAX_PREVIEW);
}
