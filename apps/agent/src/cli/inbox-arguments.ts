import { parseArgs } from 'node:util';
import type { JsonObject } from '@signalbox/mcp-core';
import { findJsonProblem } from '../json/json-text.ts';
import { isPlainObject } from '../json/plain-object.ts';
import { EXIT_CODES_HELP } from './exit-code.ts';
import { UsageError } from './io.ts';

const SERVICE_OPTIONS = `Service
  --url URL            URL of the service; default $SIGNALBOX_URL, else http://127.0.0.1 and the port $SIGNALBOX_PORT or 8020
  --token TOKEN        access token; prefer $SIGNALBOX_TOKEN, which other users cannot read

ID may be the beginning or the end of an id if it is unique.

${EXIT_CODES_HELP}
`;

export const INBOX_USAGE = {
  list: `signalbox inbox: lists and answers the inbox items of a running service

Usage
  signalbox inbox [options]                    list the open items
  signalbox inbox show ID [options]            show one item
  signalbox inbox answer [ID [ACTION]] [options]
                                               answer one item, or all open items one by one at a terminal

Options
  --run ID             only items of this run
  --all                list closed items, too
  --json               print the items as JSON lines
  -h, --help           show this text; also after show and answer

${SERVICE_OPTIONS}`,
  show: `signalbox inbox show ID: shows an item with its whole request

Options
  --json               as JSON

${SERVICE_OPTIONS}`,
  answer: `signalbox inbox answer ID ACTION: answers an item

At a terminal ACTION may be omitted: the command asks for the answer. Without ID it asks about all open items.

Actions
  tool_approval                          approve, deny
  sampling_approval, sampling_reply      approve, deny
  elicitation_form, elicitation_url      accept, decline, cancel
  outcome_unknown                        retry, mark_done, fail
  server_login                           retry, decline; signalbox servers login answers it, too

Options
  --content JSON       the fields of an accepted form; the changed parts of an approved sampling request (system_prompt, messages,
                       max_tokens) or reply (text)
  --arguments JSON     the arguments of an approved tool call, in place of the model's
  --remember SCOPE     call (default), run or thread: approve this call only, or also later calls of the same tool in the run or thread
  --note TEXT          note to the model about a denied call or a settled outcome
  --run ID             only items of this run, when no item ID is given
  --json               print the answered item as JSON

${SERVICE_OPTIONS}`,
} as const;

export interface InboxArguments {
  readonly command: 'list' | 'show' | 'answer';
  readonly id: string | undefined;
  readonly run: string | undefined;
  readonly isAll: boolean;
  readonly isJson: boolean;
  readonly url: string | undefined;
  readonly token: string | undefined;
  /** Response given on the command line. */
  readonly response: JsonObject | undefined;
}

const OPTIONS = {
  run: { type: 'string' },
  all: { type: 'boolean' },
  json: { type: 'boolean' },
  url: { type: 'string' },
  token: { type: 'string' },
  content: { type: 'string' },
  arguments: { type: 'string' },
  remember: { type: 'string' },
  note: { type: 'string' },
} as const;

type Option = keyof typeof OPTIONS;

const SHARED: readonly Option[] = ['url', 'token', 'json'];
const TAKEN: { readonly [C in InboxArguments['command']]: readonly Option[] } = {
  list: [...SHARED, 'run', 'all'],
  show: SHARED,
  answer: [...SHARED, 'run', 'content', 'arguments', 'remember', 'note'],
};

/** Parses the words after `signalbox inbox`. @throws UsageError */
export function parseInboxArguments(argv: readonly string[]): InboxArguments {
  const { values, positionals } = parse(argv);
  const [word, id, action, ...more] = positionals;
  const command = commandOf(word);
  const foreign = Object.keys(values).find(
    (name) => !TAKEN[command].some((taken) => taken === name),
  );
  if (foreign !== undefined)
    throw new UsageError(
      `--${foreign} is not an option of signalbox inbox${command === 'list' ? '' : ` ${command}`}; see signalbox inbox --help`,
    );
  const [extra] =
    command === 'answer' ? more : command === 'show' ? [action, ...more] : [id, action, ...more];
  if (extra !== undefined)
    throw new UsageError(`signalbox inbox ${word} takes no "${extra}"; see signalbox inbox --help`);
  if (command === 'show' && id === undefined)
    throw new UsageError(
      'show needs the id of an item: signalbox inbox show ID; signalbox inbox lists them',
    );
  const parts = {
    content: jsonOf('content', values.content),
    arguments: jsonOf('arguments', values.arguments),
    remember: values.remember,
    note: values.note,
  };
  const [part] = Object.entries(parts).find(([, value]) => value !== undefined) ?? [];
  if (part !== undefined && action === undefined)
    throw new UsageError(`--${part} needs an action: signalbox inbox answer ID ACTION --${part} …`);
  return {
    command,
    id,
    run: values.run,
    isAll: values.all === true,
    isJson: values.json === true,
    url: values.url,
    token: values.token,
    response:
      action === undefined
        ? undefined
        : {
            action,
            ...Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)),
          },
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true, strict: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('. ')[0] : 'unknown option';
    throw new UsageError(`${reason}; see signalbox inbox --help`, { cause: error });
  }
}

/** Returns the help text for the words after `signalbox inbox`. */
export function inboxHelp([word]: readonly string[]): string {
  return INBOX_USAGE[word === 'show' || word === 'answer' ? word : 'list'];
}

function commandOf(word: string | undefined): InboxArguments['command'] {
  if (word === undefined) return 'list';
  if (word === 'show' || word === 'answer') return word;
  throw new UsageError(
    `unknown command "inbox ${word}"; the commands are inbox, inbox show ID and inbox answer ID ACTION`,
  );
}

function jsonOf(option: string, text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined;
  const wrong = findJsonProblem(text);
  if (wrong !== undefined)
    throw new UsageError(
      `--${option} is not JSON: line ${wrong.line}, column ${wrong.column}: ${wrong.problem}`,
    );
  const value: unknown = JSON.parse(text);
  if (!isPlainObject(value))
    throw new UsageError(`--${option} must be a JSON object, such as '{"name":"Ada"}'`);
  return value;
}
