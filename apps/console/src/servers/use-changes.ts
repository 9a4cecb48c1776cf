import { useEffect, useRef } from 'react';
import { useClient } from '../app/session.tsx';
import { followChanges, type ServerChange } from './follow-changes.ts';

/** Milliseconds until a lost connection is opened again. */
const RECONNECT_MS = 3000;

/** Lists of a server and, if it is named, a resource whose changes are followed. */
interface Followed {
  readonly server: string;
  readonly uri?: string;
  /** Whether the changes are followed now, as they are only from a server that is ready. Default: yes. */
  readonly isOn?: boolean;
}

/** Calls the handler with the changes of a server while the component is shown. */
export function useChanges(
  { server, uri, isOn = true }: Followed,
  onChange: (change: ServerChange) => void,
): void {
  const { api } = useClient();
  const handler = useRef(onChange);
  useEffect(() => {
    handler.current = onChange;
  });
  useEffect(() => {
    if (!isOn) return;
    const stop = new AbortController();
    const { signal } = stop;
    const follow = async (): Promise<void> => {
      while (!signal.aborted) {
        try {
          const uris = uri === undefined ? [] : [uri];
          for await (const change of followChanges(api, server, { uris, signal }))
            handler.current(change);
        } catch {
          // The server is not ready, or the service was restarted: the stream is opened again below.
        }
        await pause(RECONNECT_MS, signal);
      }
    };
    void follow();
    return () => stop.abort();
  }, [api, server, uri, isOn]);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
