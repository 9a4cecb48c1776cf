import { useQueryClient } from '@tanstack/react-query';
import type { Run, RunEvent } from '@signalbox/client';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useClient } from '../../app/session.tsx';
import type { Entry } from './entries.ts';
import { TimelineBuilder } from './timeline-builder.ts';

/** Rows and events of a run, as far as they have arrived. */
export interface RunTimeline {
  readonly entries: readonly Entry[];
  readonly events: readonly RunEvent[];
  /** Key of the row that shows an event. Undefined before the event has arrived. */
  readonly keyOf: (seq: number) => string | undefined;
  /** Returns the last event that has arrived, which may not be rendered yet; 0 before the first. */
  readonly lastSeq: () => number;
  /** Whether the run is settled and every event has arrived. */
  readonly isOver: boolean;
  /** The error that ended the stream. */
  readonly error: unknown;
  /** Follows a run again that was resumed. */
  readonly followAgain: () => void;
}

/** Milliseconds between renderings while frames arrive. */
const RENDER_MS = 50;
/** Milliseconds between requests for the run while its events change it. */
const REFRESH_MS = 500;
/** The stream is opened again for as long as a person may leave the page open. */
const RETRY_FOR_MS = 7 * 24 * 60 * 60 * 1000;

/** Returns the key of a run in the cache of requests. */
export function runQueryKey(id: string): readonly string[] {
  return ['run', id];
}

/** Follows a run from its first event, and keeps the run itself fresh in the cache of requests. */
export function useRunTimeline(id: string): RunTimeline {
  const client = useClient();
  const queries = useQueryClient();
  const builder = useRef(new TimelineBuilder());
  const [shown, setShown] = useState<Pick<RunTimeline, 'entries' | 'events'>>(NOTHING);
  const [outcome, setOutcome] = useState<Pick<RunTimeline, 'isOver' | 'error'>>(RUNNING);
  const [round, setRound] = useState(0);

  useEffect(() => {
    const stop = new AbortController();
    const render = throttle(RENDER_MS, () => {
      const { current } = builder;
      setShown({ entries: current.entries(), events: [...current.events()] });
    });
    const refresh = throttle(REFRESH_MS, () => {
      void queries.invalidateQueries({ queryKey: runQueryKey(id) });
    });
    // What an earlier round received and did not render.
    if (builder.current.lastSeq > 0) render.call();
    const follow = async (): Promise<void> => {
      const after = builder.current.lastSeq;
      const options = { signal: stop.signal, after, retryForMs: RETRY_FOR_MS };
      for await (const frame of client.runs.stream(id, options)) {
        if (frame.type === 'run.snapshot') queries.setQueryData<Run>(runQueryKey(id), frame.run);
        else if (/^(?:run|usage|inbox)\./.test(frame.type)) refresh.call();
        builder.current.add(frame);
        render.call();
      }
      setOutcome({ isOver: true, error: undefined });
    };
    follow().catch((error: unknown) => {
      if (!stop.signal.aborted) setOutcome({ isOver: false, error });
    });
    return () => {
      stop.abort();
      render.cancel();
      refresh.cancel();
    };
  }, [client, queries, id, round]);

  const keyOf = useCallback(
    (seq: number) => (builder.current.lastSeq < seq ? undefined : builder.current.keyOf(seq)),
    [],
  );
  const lastSeq = useCallback(() => builder.current.lastSeq, []);
  const followAgain = useCallback(() => {
    setOutcome(RUNNING);
    setRound((current) => current + 1);
  }, []);
  return { ...shown, ...outcome, keyOf, lastSeq, followAgain };
}

const NOTHING = { entries: [], events: [] };
const RUNNING = { isOver: false, error: undefined };

/** Returns a function that calls another one at most once in some milliseconds, at the end of them. */
function throttle(ms: number, action: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    call(): void {
      timer ??= setTimeout(() => {
        timer = undefined;
        action();
      }, ms);
    },
    cancel: () => clearTimeout(timer),
  };
}
