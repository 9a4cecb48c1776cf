import type { JsonObject } from '@signalbox/mcp-core';
import { findJsonProblem } from '../json/json-text.ts';
import { askForm } from './ask-form.ts';
import { askWord, askYesNo } from './ask-word.ts';
import type { Io } from './io.ts';
import type { Asked } from './question-of.ts';

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

/** Asks what to do about a login. The service answers the item itself as soon as the person has logged in. */
async function askLogin(io: Io, signal: AbortSignal): Promise<JsonObject | undefined> {
  const action = await askWord(io, '  try again after the login, or decline it? [retry/decline] ', {
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
