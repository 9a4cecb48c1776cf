import type { JsonObject } from '@signalbox/mcp-core';
import type { InboxKind } from '../ports/run-store.ts';
import { findJsonProblem } from '../json-text.ts';
import { terminalJson, terminalLine } from '../terminal-text.ts';
import type { Io } from './io.ts';

/** An inbox item as `inbox.opened` tells it. */
export interface Asked {
  readonly id: string;
  readonly kind: InboxKind;
  readonly request: JsonObject;
}

/** What an item asks, on one line. What is to be approved is shown whole. */
export function questionOf({ kind, request }: Asked): string {
  const { server, name, message } = request;
  switch (kind) {
    case 'tool_approval':
      return `may ${String(name)} be called with ${terminalJson(request['arguments'])}${typeof request['reason'] === 'string' ? ` (asked again: ${request['reason']})` : ''}`;
    case 'sampling_approval':
      return `may ${String(server)} ask the model ${terminalJson(request['messages'])}`;
    case 'sampling_reply':
      return `may ${String(server)} be given what the model replied: ${terminalJson(request['text'])}`;
    case 'elicitation_form':
      return `${String(server)} asks: ${String(message)}`;
    case 'elicitation_url':
      return [`${String(server)} asks: ${String(message)} ${String(request['url'])}`, ...warningsOf(request)].join(' ');
    case 'outcome_unknown':
      return `it is not known whether ${String(name)} with ${terminalJson(request['arguments'])} was done: ${String(message)}`;
  }
}

/** Asks the person at the terminal for the answer to an item; undefined when there is none. */
export async function askPerson(io: Io, { kind, request }: Asked, signal: AbortSignal): Promise<JsonObject | undefined> {
  switch (kind) {
    case 'tool_approval':
      return askApproval(io, request, signal);
    case 'sampling_approval':
    case 'sampling_reply':
      return { action: isYes(await io.ask('  allow? [y/N] ', signal)) ? 'approve' : 'deny' };
    case 'elicitation_form':
      return askForm(io, request, signal);
    case 'elicitation_url':
      return { action: isYes(await io.ask('  open this address yourself, then: done? [y/N] ', signal)) ? 'accept' : 'decline' };
    case 'outcome_unknown': {
      const answer = await io.ask('  what shall become of it? [retry/mark_done/fail] ', signal);
      return answer === undefined ? undefined : { action: answer.trim() };
    }
  }
}

function warningsOf({ warnings }: JsonObject): readonly string[] {
  return Array.isArray(warnings) ? warnings.map((warning) => `Warning: ${String(warning)}`) : [];
}

/** Any other word than those that agree is a no. */
async function askApproval(io: Io, { remember }: JsonObject, signal: AbortSignal): Promise<JsonObject> {
  const canRemember = Array.isArray(remember) && remember.includes('run');
  const word = ((await io.ask(`  allow? [y]es, [N]o, [e]dit the arguments${canRemember ? ', yes to [a]ll of this tool in this run' : ''}: `, signal)) ?? '').trim().toLowerCase();
  if (canRemember && (word === 'a' || word === 'all')) return { action: 'approve', remember: 'run' };
  if (word !== 'e' && word !== 'edit') return { action: isYes(word) ? 'approve' : 'deny' };
  const text = await io.ask('  the arguments, as JSON (empty denies): ', signal);
  return text === undefined || text.trim() === '' ? { action: 'deny' } : { action: 'approve', arguments: argumentsOf(text) };
}

/** What is no JSON is left to the service to refuse. */
function argumentsOf(text: string): unknown {
  return findJsonProblem(text) === undefined ? JSON.parse(text) : text;
}

interface Field {
  readonly type?: unknown;
  readonly title?: unknown;
  readonly enum?: unknown;
  readonly oneOf?: unknown;
  readonly anyOf?: unknown;
  readonly items?: unknown;
}

interface Form {
  readonly properties?: { readonly [name: string]: Field };
  readonly required?: readonly string[];
}

async function askForm(io: Io, request: JsonObject, signal: AbortSignal): Promise<JsonObject> {
  // The engine opens forms only with a schema that compiles.
  const { properties = {}, required = [] } = request['requested_schema'] as Form;
  const content: { [name: string]: unknown } = {};
  for (const [name, field] of Object.entries(properties)) {
    const isRequired = required.includes(name);
    const answer = await io.ask(`  ${labelOf(name, field)} (${isRequired ? 'empty declines' : 'optional'}): `, signal);
    if (answer === undefined) return { action: 'cancel' };
    if (answer.trim() !== '') content[name] = valueOf(answer.trim(), field);
    else if (isRequired) return { action: 'decline' };
  }
  return { action: 'accept', content };
}

function labelOf(name: string, field: Field): string {
  const choices = choicesOf(field);
  const hint = choices.length > 0 ? ` [${choices.join('/')}]` : field.type === 'boolean' ? ' [y/n]' : '';
  return terminalLine(`${typeof field.title === 'string' ? field.title : name}${hint}`);
}

function choicesOf(field: Field): readonly string[] {
  if (field.type === 'array' && typeof field.items === 'object' && field.items !== null) return choicesOf({ ...field.items, type: 'string' });
  if (Array.isArray(field.enum)) return field.enum.map(String);
  const options: unknown = field.oneOf ?? field.anyOf;
  return Array.isArray(options) ? options.map((option: { readonly const?: unknown }) => String(option.const)) : [];
}

function valueOf(answer: string, { type }: Field): unknown {
  if (type === 'boolean') return isYes(answer) || answer === 'true';
  if (type === 'number' || type === 'integer') return Number(answer);
  if (type === 'array') return answer.split(',').map((each) => each.trim());
  return answer;
}

function isYes(answer: string | undefined): boolean {
  return /^y(es)?$/i.test(answer?.trim() ?? '');
}
