import type { JsonObject } from '@signalbox/mcp-core';
import { findJsonProblem } from '../json/json-text.ts';
import { isPlainObject } from '../json/plain-object.ts';
import { terminalJson, terminalLine, terminalText } from '../text/terminal-text.ts';
import type { Command, Invocation } from './command-definition.ts';
import { EXIT, EXIT_CODES_HELP } from './exit-code.ts';
import { followService } from './follow-service.ts';
import { UsageError, type Io } from './io.ts';
import { matchingId } from './matching-id.ts';
import { optionsHelp, parseOptions, SERVICE_OPTIONS } from './options.ts';
import { age, table } from './print-table.ts';
import { ServiceClient, servicePlace } from './service-client.ts';

const TAKEN = ['json', ...SERVICE_OPTIONS] as const;

interface Request {
  readonly io: Io;
  readonly client: ServiceClient;
  readonly words: readonly string[];
  readonly isJson: boolean;
}

interface ServiceCommand {
  readonly name: string;
  /** Words after the name, such as `ID`. */
  readonly words: readonly string[];
  /** Number of words that may be omitted, from the end. */
  readonly optional?: number;
  readonly about: string;
  readonly run: (request: Request) => Promise<number>;
}

/** Returns a command that sends requests to a running service. */
function serviceCommand({ name, words, optional = 0, about, run }: ServiceCommand): Command {
  const usage = [name, ...words].join(' ');
  return {
    help: () => `signalbox ${usage}: ${about}\n\n${optionsHelp(TAKEN)}\n\n${EXIT_CODES_HELP}\n`,
    run: ({ io, rest, env }: Invocation) => {
      const { values, positionals } = parseOptions(name, rest, TAKEN);
      if (positionals.length > words.length || positionals.length < words.length - optional)
        throw new UsageError(`usage: signalbox ${usage}; see signalbox ${name} --help`);
      return run({
        io,
        client: new ServiceClient(servicePlace(values, env)),
        words: positionals,
        isJson: values.json === true,
      });
    },
  };
}

const LISTED_RUNS = 50;

export const runsCommand = serviceCommand({
  name: 'runs',
  words: [],
  about: `lists the newest ${LISTED_RUNS} runs of a running service`,
  async run({ io, client, isJson }) {
    const { data: runs } = await client.page((api, signal) =>
      api.GET('/v1/runs', { params: { query: { limit: LISTED_RUNS } }, signal }),
    );
    if (isJson) for (const run of runs) io.out(`${terminalJson(run)}\n`);
    else
      io.out(
        table(
          runs.map(({ id, created_at: createdAt, status, prompt }) => [
            id,
            age(createdAt),
            status,
            cut(prompt),
          ]),
        ),
      );
    if (runs.length === 0 && !isJson) io.err('there are no runs\n');
    return EXIT.done;
  },
});

export const followCommand = serviceCommand({
  name: 'follow',
  words: ['ID'],
  about:
    'prints the progress of a run of a running service until it is settled, then its answer; ID may be the beginning or the end of an id',
  run: async ({ io, client, words: [id = ''], isJson }) =>
    followService(io, client, { id: await runId(client, id), isJson }),
});

export const cancelCommand = serviceCommand({
  name: 'cancel',
  words: ['ID'],
  about: 'cancels a run of a running service; ID may be the beginning or the end of an id',
  async run({ io, client, words: [part = ''], isJson }) {
    const id = await runId(client, part);
    const run = await client.request((api, signal) =>
      api.POST('/v1/runs/{id}/cancel', { params: { path: { id } }, body: {}, signal }),
    );
    io.out(isJson ? `${terminalJson(run)}\n` : `${terminalLine(`run ${id} is ${run.status}`)}\n`);
    return EXIT.done;
  },
});

/** Seconds to wait for the result in the first request; a longer call is followed. */
const WAIT_S = 2;

export const callCommand = serviceCommand({
  name: 'call',
  words: ['TOOL', 'JSON'],
  optional: 1,
  about:
    'calls a tool of a running service by its name in signalbox tools, with JSON as its arguments; prints the text of the result, or the whole call with --json',
  async run({ io, client, words: [name = '', json = '{}'], isJson }) {
    const args = argumentsOf(json);
    const started = await client.request((api, signal) =>
      api.POST('/v1/tools/{name}/call', {
        params: { path: { name }, header: { Prefer: `wait=${WAIT_S}` } },
        body: { arguments: args },
        signal,
      }),
    );
    const { id } = started;
    if (started.finished_at === undefined) {
      const quiet = { ...io, out: () => undefined };
      const code = await followService(quiet, client, { id, isJson: false });
      if (code === EXIT.interrupted) return code;
    }
    // A list would cut a long result.
    const call = await client.request((api, signal) =>
      api.GET('/v1/runs/{id}/tool-calls/{call_id}', {
        params: { path: { id, call_id: started.call.id } },
        signal,
      }),
    );
    const reason = call.error ?? resultText(call.result);
    if (isJson) io.out(`${terminalJson(call)}\n`);
    else if (call.state === 'succeeded') io.out(resultText(call.result));
    else
      io.err(
        `signalbox: ${terminalLine(`${name} (${call.state})${reason === '' ? '' : `: ${reason}`}`)}\n`,
      );
    return call.state === 'succeeded' ? EXIT.done : EXIT.failed;
  },
});

function argumentsOf(json: string): JsonObject {
  const problem = findJsonProblem(json);
  if (problem !== undefined)
    throw new UsageError(
      `the arguments are not JSON: line ${problem.line}, column ${problem.column}: ${problem.problem}`,
    );
  const value: unknown = JSON.parse(json);
  if (!isPlainObject(value))
    throw new UsageError(`the arguments must be a JSON object, such as '{"path":"."}'`);
  return value;
}

/** Returns the text of a result, with content other than text as JSON. */
function resultText(result: unknown): string {
  if (!isPlainObject(result)) return '';
  const content: readonly unknown[] = Array.isArray(result['content'])
    ? result['content']
    : [result];
  return content
    .map(
      (block) =>
        `${isPlainObject(block) && typeof block['text'] === 'string' ? terminalText(block['text']) : terminalJson(block)}\n`,
    )
    .join('');
}

async function runId(client: ServiceClient, part: string): Promise<string> {
  return matchingId(part, 'runs', async () => {
    const { data } = await client.page((api, signal) =>
      api.GET('/v1/runs', { params: { query: { limit: 200 } }, signal }),
    );
    return data.map(({ id }) => id);
  });
}

const CELL_CHARACTERS = 80;

function cut(text: string): string {
  const line = terminalLine(text);
  return line.length > CELL_CHARACTERS ? `${line.slice(0, CELL_CHARACTERS)}…` : line;
}
