import type { Api } from '@signalbox/client';

/** A change that a server announced. `missed`: changes were lost while the server was restarted. */
export interface ServerChange {
  readonly type:
    | 'subscribed'
    | 'resource.updated'
    | 'tools.changed'
    | 'prompts.changed'
    | 'resources.changed'
    | 'missed';
  readonly uri?: string;
}

/** Yields the changes of resources and lists of a server until the signal aborts or the connection ends. */
export async function* followChanges(
  api: Api,
  server: string,
  { uris, signal }: { readonly uris: readonly string[]; readonly signal: AbortSignal },
): AsyncGenerator<ServerChange, void> {
  const { data, response } = await api.GET('/v1/servers/{name}/changes', {
    params: { path: { name: server }, query: { uri: [...uris] } },
    headers: { accept: 'text/event-stream' },
    parseAs: 'stream',
    signal,
  });
  if (!response.ok || data === undefined || data === null)
    throw new Error(`The changes cannot be followed: status ${response.status}`);
  yield* changesIn(data);
}

/** Yields the changes in the text of an event stream, one for each `data:` line. */
export async function* changesIn(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<ServerChange, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      yield* lines
        .filter((line) => line.startsWith('data:'))
        .map((line) => JSON.parse(line.slice('data:'.length)) as ServerChange);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
