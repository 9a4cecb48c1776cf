import type { Run } from '@signalbox/client';
import { keepDraft, useDraft } from '../app/drafts.ts';
import { NO_OPTIONS, type RunChoices } from './composer-options.tsx';

/**
 * Returns the choices for the next message of a thread, and a function that changes them. The tab keeps changed choices. The default is
 * the agent of the newest run, so that a conversation with an agent continues with it.
 */
export function useThreadChoices(
  threadId: string,
  newest: Run | undefined,
): readonly [RunChoices, (next: RunChoices) => void] {
  const [stored, store] = useDraft(nameOf(threadId));
  const choices =
    stored === ''
      ? { ...NO_OPTIONS, agentId: newest?.agent_id ?? '' }
      : // An earlier version of the console in the same tab may have known fewer choices.
        { ...NO_OPTIONS, ...(JSON.parse(stored) as Partial<RunChoices>) };
  return [choices, (next) => store(JSON.stringify(next))];
}

/** Keeps choices for the next message of a thread. */
export function keepChoices(threadId: string, choices: RunChoices): void {
  keepDraft(nameOf(threadId), JSON.stringify(choices));
}

function nameOf(threadId: string): string {
  return `thread.${threadId}.choices`;
}
