import type { JsonObject } from '@signalbox/mcp-core';
import type { InboxKind } from '../ports/store/inbox.ts';
import { findJsonProblem } from '../json/json-text.ts';
import { terminalJson } from '../text/terminal-text.ts';
import { askForm } from './ask-form.ts';
import { askWord, askYesNo } from './ask-word.ts';
import type { Io } from './io.ts';

/** Inbox item in the form that `inbox.opened` and the REST API share. */
export interface Asked {
  readonly id: string;
  readonly kind: InboxKind;
  readonly request: JsonObject;
}

/** Returns the question of an item on one line, with the whole tool call or text to approve. */
export function questionOf({ kind, request }: Asked): string {
  const { server, name, message } = request;
  switch (kind) {
    case 'tool_approval':
      return `may ${String(name)} be called with ${terminalJson(request['arguments'])}${typeof request['reason'] === 'string' ? ` (approval needed again: ${request['reason']})` : ''}`;
    case 'sampling_approval':
      return `may ${String(server)} ask the model ${terminalJson(request['messages'])}`;
    case 'sampling_reply':
      return `may ${String(server)} receive the model's reply: ${terminalJson(request['text'])}`;
    case 'elicitation_form':
      return `${String(server)} asks: ${String(message)}`;
    case 'elicitation_url':
      return [
        `${String(server)} asks: ${String(message)} ${String(request['url'])}`,
        ...warningsOf(request),
      ].join(' ');
    case 'outcome_unknown':
      return `unknown outcome of ${String(name)} with ${terminalJson(request['arguments'])}: ${String(message)}`;
    case 'server_login':
      return String(message);
  }
}

/** Asks for the answer to an item at the terminal. Returns undefined at the end of the input. */
export async function askPerson(
  io: Io,
  { kind, request }: Asked,
  signal: AbortSignal,
): Promise<JsonObject | undefined> {
  switch (kind) {
    case 'tool_approval':
      return askApproval(io, request, signal);
    case 'sampling_approval':
    case 'sampling_reply':
      return { action: (await askYesNo(io, '  allow? [y/N] ', signal)) ? 'approve' : 'deny' };
    case 'elicitation_form':
      return askForm(io, request, signal);
    case 'elicitation_url':
      return {
        action: (await askYesNo(io, '  open this address in a browser; done? [y/N] ', signal))
          ? 'accept'
          : 'decline',
      };
    case 'outcome_unknown':
      return askOutcome(io, signal);
    case 'server_login':
      return askLogin(io, signal);
  }
}

/** The item is answered by the service as soon as the person has logged in. */
async function askLogin(io: Io, signal: AbortSignal): Promise<JsonObject | undefined> {
  const action = await askWord(io, '  log in, or decline the login? [retry/decline] ', {
    words: { retry: 'retry', decline: 'decline' },
    signal,
  });
  return action === undefined ? undefined : { action };
}

async function askOutcome(io: Io, signal: AbortSignal): Promise<JsonObject | undefined> {
  const action = await askWord(io, '  how to settle this call? [retry/mark_done/fail] ', {
    words: { retry: 'retry', mark_done: 'mark_done', fail: 'fail' },
    signal,
  });
  return action === undefined ? undefined : { action };
}

function warningsOf({ warnings }: JsonObject): readonly string[] {
  return Array.isArray(warnings) ? warnings.map((warning) => `Warning: ${String(warning)}`) : [];
}

async function askApproval(
  io: Io,
  { remember }: JsonObject,
  signal: AbortSignal,
): Promise<JsonObject> {
  const canRemember = Array.isArray(remember) && remember.includes('run');
  const question = `  allow? [y]es, [N]o, [e]dit the arguments${canRemember ? ', [a]llow this tool for the whole run' : ''}: `;
  const all = canRemember ? ({ a: 'all', all: 'all' } as const) : {};
  const decision = await askWord(io, question, {
    words: { y: 'yes', yes: 'yes', n: 'no', no: 'no', '': 'no', e: 'edit', edit: 'edit', ...all },
    signal,
  });
  if (decision === 'all') return { action: 'approve', remember: 'run' };
  if (decision !== 'edit') return { action: decision === 'yes' ? 'approve' : 'deny' };
  const text = await io.ask('  the arguments, as JSON (empty denies): ', signal);
  return text === undefined || text.trim() === ''
    ? { action: 'deny' }
    : { action: 'approve', arguments: argumentsOf(text) };
}

/** Returns the parsed arguments, or the text itself when it is not JSON: the service rejects it with the position of the error. */
function argumentsOf(text: string): unknown {
  return findJsonProblem(text) === undefined ? JSON.parse(text) : text;
}
