import { useQueryClient } from '@tanstack/react-query';
import { isSettled, type Run } from '@signalbox/client';
import { useEffect, useRef, useState } from 'react';
import { useClient } from '../app/session.tsx';
import type { ChatPart } from './chat-part.ts';
import { CHAT_EVENTS, LiveParts } from './live-parts.ts';

/** Milliseconds between renderings while text arrives. */
const RENDER_MS = 50;
/** Milliseconds for which a lost connection is opened again: as long as a person may leave the page open. */
const RETRY_FOR_MS = 7 * 24 * 60 * 60 * 1000;

/** The answer of a run as far as it has arrived. */
export interface LiveAnswer {
  readonly parts: readonly ChatPart[];
  /** Last known state of the run; undefined before the first frame. */
  readonly run: Run | undefined;
  readonly isLost: boolean;
  readonly error: Error | undefined;
}

const NOTHING: LiveAnswer = { parts: [], run: undefined, isLost: false, error: undefined };

/**
 * Follows a run until it is settled, and again when a list has it with later events, as after it was resumed elsewhere. Undefined
 * follows nothing.
 */
export function useLiveParts(listed: Run | undefined): LiveAnswer {
  const runId = listed?.id;
  const client = useClient();
  const queries = useQueryClient();
  const [answer, setAnswer] = useState(NOTHING);
  const [followed, setFollowed] = useState({ round: 0, isOver: false });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const { round, isOver } = followed;
  if (isOver && isLater(listed, answer.run)) setFollowed({ round: round + 1, isOver: false });

  useEffect(() => {
    if (runId === undefined) return;
    const stop = new AbortController();
    const live = new LiveParts();
    const render = (): void => {
      timer.current ??= setTimeout(() => {
        timer.current = undefined;
        setAnswer((current) => ({ ...current, parts: live.parts() }));
      }, RENDER_MS);
    };
    const readRun = async (): Promise<void> => {
      const run = await client.runs.get(runId, { signal: stop.signal });
      setAnswer((current) => ({ ...current, run }));
    };
    const follow = async (): Promise<void> => {
      const options = {
        signal: stop.signal,
        types: CHAT_EVENTS,
        retryForMs: RETRY_FOR_MS,
        onRetry: () => setAnswer((current) => ({ ...current, isLost: true })),
      };
      for await (const frame of client.runs.stream(runId, options)) {
        if (frame.type === 'run.snapshot')
          setAnswer((current) => ({ ...current, run: frame.run, isLost: false }));
        else if (/^(?:run|inbox)\./.test(frame.type)) void readRun().catch(() => undefined);
        if (live.add(frame)) render();
      }
      await readRun();
      setAnswer((current) => ({ ...current, parts: live.parts() }));
      setFollowed({ round, isOver: true });
      await queries.invalidateQueries({ queryKey: ['threads'] });
      await queries.invalidateQueries({ queryKey: ['runs'] });
    };
    follow().catch((error: unknown) => {
      if (stop.signal.aborted) return;
      setAnswer((current) => ({
        ...current,
        error: error instanceof Error ? error : new Error(String(error)),
      }));
    });
    return () => {
      stop.abort();
      clearTimeout(timer.current);
      timer.current = undefined;
    };
  }, [client, queries, runId, round]);
  return answer;
}

/** Whether the list has a run with events after those of the followed run. */
function isLater(listed: Run | undefined, followed: Run | undefined): boolean {
  if (listed === undefined || followed === undefined || !isSettled(followed)) return false;
  return listed.last_seq > followed.last_seq;
}
