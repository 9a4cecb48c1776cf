/** Name of the key of requests to a service without tokens, and of runs that a schedule starts. */
export const ANONYMOUS = 'anonymous';

/** Name of the key whose token is in `SIGNALBOX_TOKEN`. */
export const DEFAULT_KEY = 'default';
