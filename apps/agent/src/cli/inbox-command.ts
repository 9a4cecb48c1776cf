import type { JsonObject } from '@signalbox/mcp-core';
import { terminalJson, terminalLine } from '../text/terminal-text.ts';
import { answerItem } from './answer-item.ts';
import { questionOf } from './question-of.ts';
import type { Command, Invocation } from './command-definition.ts';
import { EXIT } from './exit-code.ts';
import { inboxHelp, parseInboxArguments, type InboxArguments } from './inbox-arguments.ts';
import { InboxClient, type Item } from './inbox-client.ts';
import { UsageError, type Io } from './io.ts';
import { age } from './print-table.ts';
import { ServiceClient, servicePlace } from './service-client.ts';
import { ServiceError } from './service-error.ts';

export const inboxCommand: Command = {
  help: inboxHelp,
  run: runInbox,
};

async function runInbox({ io, rest, env }: Invocation): Promise<number> {
  const parsed = parseInboxArguments(rest);
  const client = new InboxClient(new ServiceClient(servicePlace(parsed, env)));
  if (parsed.command === 'answer') return answer(io, client, parsed);
  const items = parsed.id === undefined ? await client.list(parsed) : [await client.get(parsed.id)];
  const prompts = parsed.isJson ? new Map<string, string>() : await client.prompts(items);
  for (const item of items) {
    const prompt = prompts.get(item.run_id);
    if (parsed.isJson) io.out(`${terminalJson(item)}\n`);
    else io.out(parsed.command === 'show' ? shown(item, prompt) : summary(item, prompt));
  }
  if (items.length === 0 && !parsed.isJson) io.err('no inbox items\n');
  return EXIT.done;
}

/** Printed outcome of each action. */
const OUTCOMES: { readonly [action: string]: string } = {
  approve: 'approved',
  deny: 'denied',
  accept: 'accepted',
  decline: 'declined',
  cancel: 'cancelled',
  retry: 'to be called again',
  mark_done: 'marked as done',
  fail: 'failed',
};

async function answer(
  io: Io,
  client: InboxClient,
  { id, response, run, isJson }: InboxArguments,
): Promise<number> {
  const respond = async (item: string, body: JsonObject): Promise<void> => {
    const answered = await client.respond(item, body);
    io.out(
      isJson
        ? `${terminalJson(answered)}\n`
        : `${terminalLine(`${answered.kind} ${answered.id}: ${OUTCOMES[String(body['action'])] ?? answered.state}`)}\n`,
    );
  };
  if (id !== undefined && response !== undefined) {
    await respond(await client.idOf(id), response);
    return EXIT.done;
  }
  if (!io.canAsk || isJson)
    throw new UsageError(
      `questions are asked only at a terminal and without --json; give the action instead: signalbox inbox answer ${id ?? 'ID'} ACTION; see signalbox inbox answer --help`,
    );
  const items =
    id === undefined ? await client.list({ run, isAll: false }) : [await client.get(id)];
  const closed = items.find((item) => item.state !== 'open');
  if (closed !== undefined)
    throw new ServiceError(`the inbox item ${closed.id} is no longer open: it is ${closed.state}`);
  if (items.length === 0) io.err('no inbox items\n');
  return askAll(io, items, { client, respond, prompts: await client.prompts(items) });
}

interface Asking {
  readonly client: InboxClient;
  readonly respond: (id: string, body: JsonObject) => Promise<void>;
  readonly prompts: ReadonlyMap<string, string>;
}

async function askAll(
  io: Io,
  items: readonly Item[],
  { client, respond, prompts }: Asking,
): Promise<number> {
  const stop = new AbortController();
  const unsubscribe = io.onInterrupt(() => stop.abort());
  let isAnswered = true;
  try {
    for (const listed of items) {
      if (stop.signal.aborted) break;
      // Lists shorten long questions.
      const item = listed.is_shortened === true ? await client.get(listed.id) : listed;
      io.out(shown(item, prompts.get(item.run_id)));
      isAnswered =
        (await answerItem(io, item, {
          respond: (body) => respond(item.id, body),
          signal: stop.signal,
        })) && isAnswered;
    }
  } finally {
    unsubscribe();
  }
  if (stop.signal.aborted) return EXIT.interrupted;
  return isAnswered ? EXIT.done : EXIT.failed;
}

const QUESTION_CHARACTERS = 120;
const PROMPT_CHARACTERS = 60;

function summary(item: Item, prompt: string | undefined): string {
  const head = `${item.id}  ${age(item.created_at)}  ${item.state === 'open' ? '' : `${item.state} `}${item.kind}  ${cut(questionOf(item), QUESTION_CHARACTERS)}`;
  return `${terminalLine(head)}${prompt === undefined ? '' : terminalLine(`  (run: ${cut(prompt, PROMPT_CHARACTERS)})`)}\n`;
}

function cut(text: string, length: number): string {
  const line = terminalLine(text);
  return line.length > length ? `${line.slice(0, length)}…` : line;
}

function shown(item: Item, prompt: string | undefined): string {
  const {
    id,
    kind,
    state,
    run_id: run,
    created_at: createdAt,
    expires_at: expiresAt,
    request,
    response,
  } = item;
  const lines = [
    `run: ${run}${prompt === undefined ? '' : ` (${cut(prompt, QUESTION_CHARACTERS)})`}`,
    `opened: ${createdAt} (${age(createdAt)} ago), expires: ${expiresAt}`,
    questionOf(item),
    ...Object.entries(request).map(([name, value]) => `${name}: ${terminalJson(value)}`),
    ...(response === undefined ? [] : [`answer: ${terminalJson(response)}`]),
  ];
  return `${terminalLine(`${kind} ${id} (${state})`)}\n${lines.map((line) => `  ${terminalLine(line)}\n`).join('')}`;
}
