import type { JsonObject } from '@signalbox/mcp-core';
import { exceededLimit, MAX_JSON_DEPTH } from '../../json/json-limits.ts';
import { isPlainObject } from '../../json/plain-object.ts';
import { EngineError } from '../../ports/run-engine.ts';
import type { InboxItem, InboxKind } from '../../ports/store/inbox.ts';
import { fieldsOf, fillForm } from '../input/elicitation-form.ts';
import { fieldProblem, joinProblems, type FieldProblem } from '../input/field-problem.ts';
import { samplingEditProblems, replyEditProblems } from '../sampling/edits.ts';

/** Actions of a response by kind of item. */
export const INBOX_ACTIONS: { readonly [K in InboxKind]: readonly string[] } = {
  tool_approval: ['approve', 'deny'],
  sampling_approval: ['approve', 'deny'],
  sampling_reply: ['approve', 'deny'],
  elicitation_form: ['accept', 'decline', 'cancel'],
  elicitation_url: ['accept', 'decline', 'cancel'],
  outcome_unknown: ['retry', 'mark_done', 'fail'],
  server_login: ['retry', 'decline'],
};

const CONTENT_PLACE =
  'is only part of an accepted form, or of an approved sampling request or reply';

const SCOPES = ['call', 'run', 'thread'] as const;
export type RememberScope = (typeof SCOPES)[number];

/** A checked response; `action` belongs to the item's kind. */
export interface InboxResponse {
  readonly action: string;
  /**
   * Fields of an accepted form, or the changed parts of an approved sampling request or message.
   */
  readonly content?: JsonObject;
  /** Arguments that replace those of an approved call. */
  readonly arguments?: JsonObject;
  /** Scope of an approval; default `call`. */
  readonly remember?: RememberScope;
  readonly note?: string;
}

/**
 * Returns the problem of a call's arguments as a text for people; undefined when they are valid.
 */
export type CheckArguments = (wireName: string, args: JsonObject) => Promise<string | undefined>;

/**
 * Checks a response against the item it answers.
 * @throws EngineError `invalid_response`, naming the fields
 */
export async function checkResponse(
  item: InboxItem,
  response: JsonObject,
  checkArguments: CheckArguments,
): Promise<InboxResponse> {
  const { action, content, arguments: args, remember, note, ...others } = response;
  const actions = INBOX_ACTIONS[item.kind];
  const [other] = Object.keys(others);
  if (typeof action !== 'string' || !actions.includes(action))
    throw refuse([fieldProblem(['action'], `must be one of ${actions.join(', ')}`)]);
  if (other !== undefined)
    throw refuse([
      fieldProblem([other], `is not a field of a response to an item of kind ${item.kind}`),
    ]);
  if (note !== undefined && typeof note !== 'string')
    throw refuse([fieldProblem(['note'], 'must be a string')]);
  return {
    action,
    ...checkContent(item, action, content),
    ...(await checkEdit(item, action, { args, checkArguments })),
    ...checkRemember(item, action, remember),
    ...(note === undefined ? {} : { note }),
  };
}

/** Returns the person's note as a part of a text for the model. */
export function noteOf({ note }: InboxResponse): string {
  const text = (note ?? '').trim();
  return text === '' ? '' : ` Note: ${text}${/[.!?]$/.test(text) ? '' : '.'}`;
}

function checkContent(
  item: InboxItem,
  action: string,
  content: unknown,
): Pick<InboxResponse, 'content'> {
  const isForm = item.kind === 'elicitation_form' && action === 'accept';
  const check = isForm ? undefined : editCheck(item, action);
  if (!isForm && content === undefined) return {};
  if (!isForm && check === undefined) throw refuse([fieldProblem(['content'], CONTENT_PLACE)]);
  if (!isPlainObject(content))
    throw refuse([
      fieldProblem(
        ['content'],
        isForm ? 'must be an object with the fields of the form' : 'must be an object',
      ),
    ]);
  const { content: checked, problems } =
    check === undefined
      ? fillForm(fieldsOf(item.request), content)
      : { content, problems: check(content) };
  if (problems.length > 0) throw refuse(problems);
  return { content: checked };
}

function editCheck(
  { kind, request }: InboxItem,
  action: string,
): ((content: JsonObject) => readonly FieldProblem[]) | undefined {
  if (kind === 'sampling_approval' && action === 'approve')
    return (content) => samplingEditProblems(request, content);
  if (kind === 'sampling_reply' && action === 'approve') return replyEditProblems;
  return undefined;
}

interface Edit {
  readonly args: unknown;
  readonly checkArguments: CheckArguments;
}

async function checkEdit(
  { kind, request }: InboxItem,
  action: string,
  { args, checkArguments }: Edit,
): Promise<Pick<InboxResponse, 'arguments'>> {
  if (args === undefined) return {};
  if (kind !== 'tool_approval')
    throw refuse([
      fieldProblem(['arguments'], `is not a field of a response to an item of kind ${kind}`),
    ]);
  if (action !== 'approve')
    throw refuse([fieldProblem(['arguments'], 'is only part of an approval')]);
  if (!isPlainObject(args)) throw refuse([fieldProblem(['arguments'], 'must be an object')]);
  const isDeep = exceededLimit(args, { maxDepth: MAX_JSON_DEPTH }) !== undefined;
  const problem = isDeep
    ? `must not be nested more than ${MAX_JSON_DEPTH} levels deep`
    : await checkArguments(String(request['name']), args);
  if (problem !== undefined) throw refuse([fieldProblem(['arguments'], problem)]);
  return { arguments: args };
}

function checkRemember(
  { kind, request }: InboxItem,
  action: string,
  remember: unknown,
): Pick<InboxResponse, 'remember'> {
  if (remember === undefined) return {};
  if (kind !== 'tool_approval')
    throw refuse([
      fieldProblem(['remember'], `is not a field of a response to an item of kind ${kind}`),
    ]);
  if (action !== 'approve')
    throw refuse([fieldProblem(['remember'], 'is only part of an approval')]);
  const offered = Array.isArray(request['remember']) ? request['remember'] : ['call'];
  const scope = SCOPES.find((known) => known === remember && offered.includes(known));
  if (scope === undefined)
    throw refuse([fieldProblem(['remember'], `must be one of ${offered.join(', ')}`)]);
  return { remember: scope };
}

function refuse(problems: readonly FieldProblem[]): EngineError {
  return new EngineError(
    'invalid_response',
    joinProblems(problems),
    problems.map(({ path, message }) => ({ path: pointerTo(path), message })),
  );
}

/** Returns the JSON Pointer of a path. @see https://www.rfc-editor.org/rfc/rfc6901 */
function pointerTo(path: readonly string[]): string {
  return path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
