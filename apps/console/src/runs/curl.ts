import type { NewRun, Run } from '@signalbox/client';

/** Returns the body of a request that starts the same run again, with its limits and without its files. */
export function newRunLike(run: Run): NewRun {
  const { prompt, servers, provider, model, temperature, max_tokens, effort, tool_choice } = run;
  const { instructions, agent_id, agent_version, thread_id, metadata, output_schema } = run;
  const { tools, approvals, priority, limits } = run;
  // A scripted run has no model that could be chosen.
  const chosen = run.scripted || model === undefined ? undefined : model;
  return withoutUndefined({
    prompt,
    servers,
    model: chosen === undefined || provider === undefined ? chosen : `${provider}/${chosen}`,
    temperature,
    max_tokens,
    effort,
    tool_choice,
    tools,
    approvals,
    instructions,
    agent_id,
    agent_version,
    thread_id,
    output_schema,
    limits,
    priority: priority === 'normal' ? undefined : priority,
    metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
  }) as unknown as NewRun;
}

/** Returns a command line that sends a request with a JSON body. The key is taken from the environment, so that it is not copied. */
export function curlCommand(
  url: string,
  body: unknown,
  { needsKey }: { readonly needsKey: boolean },
): string {
  return [
    `curl -s ${quote(url)}`,
    ...(needsKey ? ['-H "authorization: Bearer $SIGNALBOX_TOKEN"'] : []),
    "-H 'content-type: application/json'",
    `-d ${quote(JSON.stringify(body))}`,
  ].join(' \\\n  ');
}

/** Quotes a word for a POSIX shell. */
function quote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function withoutUndefined(object: { readonly [name: string]: unknown }): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
