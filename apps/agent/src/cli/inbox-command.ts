import type { JsonObject } from '@signalbox/mcp-core';
import { isPlainObject } from '../plain-object.ts';
import { INBOX_ACTIONS } from '../run/inbox-response.ts';
import { terminalJson, terminalLine } from '../terminal-text.ts';
import { answerItem } from './answer-item.ts';
import { questionOf, type Asked } from './ask-person.ts';
import { INBOX_USAGE, parseInboxArguments, type InboxArguments } from './inbox-arguments.ts';
import { UsageError, type Io } from './io.ts';
import { ServiceClient, ServiceError } from './service-client.ts';

export interface InboxSurroundings {
  /** What follows `signalbox inbox`. */
  readonly argv: readonly string[];
  readonly env: { readonly [name: string]: string | undefined };
}

/** An inbox item as the service tells it. */
interface Item extends Asked {
  readonly run_id: string;
  readonly state: string;
  readonly expires_at: string;
  readonly response?: JsonObject;
  readonly is_shortened?: boolean;
}

/** Lists, shows and answers what waits for a person in a running service; returns the exit code. @throws UsageError, ServiceError */
export async function runInbox(io: Io, { argv, env }: InboxSurroundings): Promise<number> {
  const parsed = parseInboxArguments(argv);
  if (parsed.isHelp) {
    io.out(INBOX_USAGE[parsed.command]);
    return 0;
  }
  const client = new ServiceClient({ url: parsed.url ?? (env['SIGNALBOX_URL'] || undefined), token: parsed.token ?? (env['SIGNALBOX_TOKEN'] || undefined) });
  if (parsed.command === 'answer') return answer(io, client, parsed);
  const items = parsed.id === undefined ? await listItems(client, parsed) : [await getItem(client, parsed.id)];
  for (const item of items) io.out(parsed.isJson ? `${terminalJson(item)}\n` : parsed.command === 'show' ? shown(item) : `${summary(item)}\n`);
  if (items.length === 0 && !parsed.isJson) io.err('nothing waits for a person\n');
  return 0;
}

async function answer(io: Io, client: ServiceClient, { id, response, run, isJson }: InboxArguments): Promise<number> {
  const respond = async (item: string, body: JsonObject): Promise<void> => {
    const answered = toItem(await client.post(`/v1/inbox/${encodeURIComponent(item)}/respond`, body));
    io.out(isJson ? `${terminalJson(answered)}\n` : `${terminalLine(`${answered.kind} ${answered.id} is ${answered.state}`)}\n`);
  };
  if (id !== undefined && response !== undefined) {
    await respond(id, response);
    return 0;
  }
  if (!io.canAsk || isJson) throw new UsageError(`here nobody can be asked, so say the answer: signalbox inbox answer ${id ?? 'ID'} ACTION; see signalbox inbox answer --help`);
  const items = id === undefined ? await listItems(client, { run, isAll: false }) : [await getItem(client, id)];
  const closed = items.find((item) => item.state !== 'open');
  if (closed !== undefined) throw new ServiceError(`the inbox item ${closed.id} is not open any more: it is ${closed.state}`);
  if (items.length === 0) io.err('nothing waits for a person\n');
  // A list has long questions cut.
  const whole = (item: Item): Promise<Item> => (item.is_shortened === true ? getItem(client, item.id) : Promise.resolve(item));
  return askAll(io, items, { respond, whole });
}

interface Service {
  readonly respond: (id: string, body: JsonObject) => Promise<void>;
  readonly whole: (item: Item) => Promise<Item>;
}

async function askAll(io: Io, items: readonly Item[], { respond, whole }: Service): Promise<number> {
  const stop = new AbortController();
  const unsubscribe = io.onInterrupt(() => stop.abort());
  let isAnswered = true;
  try {
    for (const listed of items) {
      if (stop.signal.aborted) break;
      const item = await whole(listed);
      io.out(shown(item));
      isAnswered = (await answerItem(io, item, { respond: (body) => respond(item.id, body), signal: stop.signal })) && isAnswered;
    }
  } finally {
    unsubscribe();
  }
  if (stop.signal.aborted) return 130;
  return isAnswered ? 0 : 1;
}

async function listItems(client: ServiceClient, { run, isAll }: Pick<InboxArguments, 'run' | 'isAll'>): Promise<readonly Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams({ ...(isAll ? {} : { state: 'open' }), ...(run === undefined ? {} : { run_id: run }), ...(cursor === undefined ? {} : { cursor }) });
    const { data, next_cursor: next } = await client.get(`/v1/inbox?${query.toString()}`);
    if (!Array.isArray(data)) throw foreign();
    items.push(...data.map(toItem));
    cursor = typeof next === 'string' ? next : undefined;
  } while (cursor !== undefined);
  return items;
}

async function getItem(client: ServiceClient, id: string): Promise<Item> {
  return toItem(await client.get(`/v1/inbox/${encodeURIComponent(id)}`));
}

function toItem(value: unknown): Item {
  if (!isPlainObject(value) || typeof value['id'] !== 'string' || !Object.hasOwn(INBOX_ACTIONS, String(value['kind'])) || !isPlainObject(value['request'])) throw foreign();
  // What has these is an item, whose other fields are only shown.
  return value as unknown as Item;
}

function foreign(): ServiceError {
  return new ServiceError('the service answers in a way that this version does not know: use the same version of signalbox for both');
}

const SUMMARY_CHARACTERS = 120;

function summary(item: Item): string {
  const question = terminalLine(questionOf(item));
  const short = question.length > SUMMARY_CHARACTERS ? `${question.slice(0, SUMMARY_CHARACTERS)}…` : question;
  return `${terminalLine(`${item.id}  ${item.state === 'open' ? '' : `${item.state} `}${item.kind}`)}  ${short}`;
}

function shown(item: Item): string {
  const { id, kind, state, run_id: run, expires_at: expiresAt, request, response } = item;
  const lines = [
    `run: ${run}, expires: ${expiresAt}`,
    questionOf(item),
    ...Object.entries(request).map(([name, value]) => `${name}: ${terminalJson(value)}`),
    ...(response === undefined ? [] : [`answer: ${terminalJson(response)}`]),
  ];
  return `${terminalLine(`${kind} ${id} (${state})`)}\n${lines.map((line) => `  ${terminalLine(line)}\n`).join('')}`;
}
