import type { App } from '../app.ts';
import type { Expectation } from '../demo/expected-answers.ts';
import type { Tour } from '../demo/tour.ts';
import type { Run } from '../ports/store/run.ts';
import { eventBody } from '../run/core/events.ts';
import { messageOf } from '../text/error-text.ts';
import type { EndedCalls } from './ended-calls.ts';
import type { Io } from './io.ts';
import { runTask } from './run.ts';

/** A demo whose answer is checked. */
export interface DemoScene {
  readonly prompt: string;
  readonly play: () => Promise<PlayedScene>;
}

export interface PlayedScene {
  readonly run: Run;
  /** Whether the demo cancelled the run. Default false. */
  readonly isCancelled?: boolean;
  /** Differences from what is expected. */
  readonly problems: readonly string[];
}

export interface Stage {
  readonly io: Io;
  readonly app: App;
  readonly isJson: boolean;
}

/** Half of the duration of the comparison: 50 places, two at a time, 150 ms each. */
const HALF_WAY_MS = 1900;
const EQUATOR = 'Where on the equator is it warmest?';

/** Returns the scene of a run whose answer must have the expected texts. */
export async function answerScene(
  { io, app, isJson }: Stage,
  expectation: () => Promise<Expectation> | Expectation,
): Promise<DemoScene> {
  const { prompt, mustContain } = await expectation();
  return {
    prompt,
    async play() {
      const { run } = await runTask(io, app, { prompt, servers: [], isJson });
      const missing = mustContain.filter((part) => run.answer?.includes(part) !== true);
      return {
        run,
        problems: missing.length === 0 ? [] : [`its answer lacks: ${missing.join('; ')}`],
      };
    },
  };
}

/**
 * Returns the scene of a run with all servers. When it follows the list of cities, the list is changed; its question is
 * answered by the person at the terminal, or else by the demo.
 */
export function tourScene({ io, app, isJson }: Stage, tour: Tour): DemoScene {
  return {
    prompt: tour.prompt,
    async play() {
      await tour.writeFirstList();
      const calls = new Map<string, string>();
      const seen = { hasProgress: false, wasSampled: false, wasAsked: false, isStored: false };
      let changed: Promise<void> | undefined;
      const { run } = await runTask(io, app, {
        prompt: tour.prompt,
        servers: [],
        isJson,
        standIn: () => ({ action: 'approve' }),
        onEvent(event) {
          const { type, data } = eventBody(event);
          if (type === 'tool_call.planned') calls.set(data.call_id, data.name);
          if (type === 'tool_call.progress') {
            const name = calls.get(data.call_id);
            seen.hasProgress ||= name === 'weather__weather_compare';
            if (name === 'filesystem__watch_resource')
              changed ??= tour
                .changeList()
                .then((change) => io.err(`demo: changes cities.txt: ${change}\n`));
          }
          if (type === 'usage.updated') seen.wasSampled ||= data.source === 'server';
          if (type === 'inbox.opened') seen.wasAsked = true;
          if (type === 'inbox.answered')
            seen.isStored =
              data.response['action'] === 'approve' && data.response['arguments'] === undefined;
        },
      });
      await changed;
      return {
        run,
        problems: [
          ...(seen.hasProgress ? [] : ['the comparison reported no progress']),
          ...(seen.wasSampled ? [] : ['no server used the model']),
          ...(seen.wasAsked ? [] : ['nobody was asked']),
          ...(changed === undefined ? ['the list was not followed'] : []),
          ...(await tour.problems(run.answer ?? '', seen.isStored)),
        ],
      };
    },
  };
}

/**
 * Returns the scene of a run that is cancelled half way through its comparison. The cancellation must reach the server,
 * which must end its work.
 */
export function cancellationScene({ io, app, isJson }: Stage, ended: EndedCalls): DemoScene {
  return {
    prompt: EQUATOR,
    async play() {
      let halfWay: NodeJS.Timeout | undefined;
      let cancelling: Promise<unknown> | undefined;
      let level: string | undefined;
      const cancel = (runId: string): void => {
        io.err(`demo: cancels the run after ${HALF_WAY_MS / 1000} of about 4 s\n`);
        cancelling = app.engine
          .cancelRun(runId, 'the demo cancels it')
          .catch((error: unknown) => io.err(`demo: ${messageOf(error)}\n`));
      };
      const { run } = await runTask(io, app, {
        prompt: EQUATOR,
        servers: [],
        isJson,
        onEvent(event) {
          const { type, data } = eventBody(event);
          if (type === 'tool_call.dispatched')
            halfWay = setTimeout(() => cancel(event.runId), HALF_WAY_MS);
          if (type === 'tool_call.cancelled') level = data.cancel;
        },
      });
      clearTimeout(halfWay);
      await cancelling;
      if (cancelling === undefined) return { run, problems: ['it was not cancelled'] };
      const line = await ended.find('tool=weather_compare outcome=cancelled');
      io.err(
        `demo: the cancellation was ${level ?? 'not sent'}; the log of the server has: ${line ?? 'nothing'}\n`,
      );
      return {
        run,
        isCancelled: true,
        problems: [
          ...(run.status === 'cancelled' ? [] : [`it ended ${run.status}`]),
          ...(level === 'delivered' || level === 'confirmed'
            ? []
            : [`the cancellation was ${level ?? 'not sent'}`]),
          ...(line === undefined ? ['the server did not report that it ended its work'] : []),
        ],
      };
    },
  };
}
