import type { Post } from './model-post.ts';

/** Returns a function that sends requests with a `fetch`. */
export function fetchPost(send: typeof fetch): Post {
  return async ({ url, headers, body, signal }) => {
    const init = { method: 'POST', headers, body, signal, redirect: 'manual' } as const;
    const response = await send(url, init);
    const answer: ReadableStream<Uint8Array> | null = response.body;
    const reader = answer?.getReader();
    const close = (): void => {
      reader?.cancel().catch(() => undefined);
    };
    return {
      status: response.status,
      header: (name) => response.headers.get(name) ?? undefined,
      read: async () => (await reader?.read())?.value,
      close,
      discard: close,
    };
  };
}
