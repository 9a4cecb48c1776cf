import { EMPTY_AGENT, type AgentDraft } from './agent-draft.ts';

/** A draft of an agent that was not saved. */
export interface UnsavedAgent {
  /** Entity tag of the version that the draft changes; undefined for a new agent. */
  readonly etag: string | undefined;
  readonly draft: AgentDraft;
}

/** Returns the text under which the tab keeps a draft. */
export function unsavedText(unsaved: UnsavedAgent): string {
  return JSON.stringify(unsaved);
}

/** Returns the draft of a text of `unsavedText`, or undefined for the empty text. */
export function readUnsaved(text: string): UnsavedAgent | undefined {
  if (text === '') return undefined;
  const { etag, draft } = JSON.parse(text) as UnsavedAgent;
  // An earlier version of the console in the same tab may have known fewer fields.
  return { etag, draft: { ...EMPTY_AGENT, ...draft } };
}
