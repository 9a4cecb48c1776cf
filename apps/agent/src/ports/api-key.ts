/** Name of the key of requests to a service without tokens, and of schedules whose key is gone. */
export const ANONYMOUS = 'anonymous';

/** Name of the key whose token is in `SIGNALBOX_TOKEN`. */
export const DEFAULT_KEY = 'default';

/** Limits of one API key, over all processes together. */
export interface KeyLimits {
  /**
   * Maximum number of agent runs in progress. Further runs wait. A run that waits for a person is not
   * counted, and continues when it is answered. Default: no limit.
   */
  readonly runningRuns?: number | undefined;
  /**
   * Maximum number of runs and single tool calls that are created within a minute. Further ones are
   * refused. Default: no limit.
   */
  readonly runsPerMinute?: number | undefined;
}

/** Milliseconds over which `runsPerMinute` counts. */
export const RATE_WINDOW_MS = 60_000;
