import type { JsonObject } from '@signalbox/mcp-core';
import { isPlainObject } from '../plain-object.ts';
import { EngineError } from '../ports/run-engine.ts';
import type { InboxItem, InboxKind } from '../ports/run-store.ts';
import { contentProblems } from './elicitation-content.ts';

const ACTIONS: { readonly [K in InboxKind]: readonly string[] } = {
  tool_approval: ['approve', 'deny'],
  sampling_approval: ['approve', 'deny'],
  elicitation_form: ['accept', 'decline', 'cancel'],
  elicitation_url: ['accept', 'decline', 'cancel'],
  outcome_unknown: ['retry', 'mark_done', 'fail'],
};

/** A checked answer; `action` is one of those of the item's kind. */
export interface InboxResponse {
  readonly action: string;
  readonly content?: JsonObject;
  readonly note?: string;
}

/** Checks an answer against the item it answers. @throws EngineError `invalid_response`, naming the field */
export function checkResponse(item: InboxItem, response: JsonObject): InboxResponse {
  const { action, content, note, ...others } = response;
  const actions = ACTIONS[item.kind];
  if (typeof action !== 'string' || !actions.includes(action)) throw refuse(`action: must be one of ${actions.join(', ')}`);
  const [other] = Object.keys(others);
  if (other !== undefined) throw refuse(`${other}: is no field of an answer to an item of kind ${item.kind}`);
  if (note !== undefined && typeof note !== 'string') throw refuse('note: must be a string');
  return { action, ...checkContent(item, action, content), ...(note === undefined ? {} : { note }) };
}

function checkContent(item: InboxItem, action: string, content: unknown): { readonly content?: JsonObject } {
  if (item.kind !== 'elicitation_form' || action !== 'accept') {
    if (content !== undefined) throw refuse('content: is only part of an accepted form');
    return {};
  }
  if (!isPlainObject(content)) throw refuse('content: must be an object with the fields of the form');
  // Opened only with a schema that compiles.
  const problems = contentProblems(item.request['requested_schema'] as JsonObject, content);
  if (problems.length > 0) throw refuse(problems.join('; '));
  return { content };
}

function refuse(message: string): EngineError {
  return new EngineError('invalid_response', message);
}
