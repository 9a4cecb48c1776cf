import { callBehaviors } from './call-behaviors.ts';
import { connectBehaviors } from './connect-behaviors.ts';
import { httpBehaviors } from './http-behaviors.ts';
import { modelBehaviors } from './model-behaviors.ts';

/** A hostile behavior, and the moment at which it happens. */
export interface HostileCase {
  readonly name: string;
  /** A reconnection, a tool call, or a run whose model is hostile. */
  readonly moment: 'connect' | 'call' | 'model';
  readonly server: 'hostile' | 'far' | 'unguarded' | 'unguarded-far';
}

export const hostileCases: readonly HostileCase[] = [
  ...Object.keys(connectBehaviors).map(
    (name) => ({ name, moment: 'connect', server: 'hostile' }) as const,
  ),
  ...Object.keys(callBehaviors).map(
    (name) => ({ name, moment: 'call', server: 'hostile' }) as const,
  ),
  ...Object.entries(httpBehaviors).map(
    ([name, { call }]) =>
      ({ name, moment: call === undefined ? 'connect' : 'call', server: 'far' }) as const,
  ),
  ...Object.keys(modelBehaviors).map(
    (name) => ({ name, moment: 'model', server: 'hostile' }) as const,
  ),
];

/** Cases of each kind that once ended or blocked the service. Every test run includes them. */
export const shortCases: readonly string[] = [
  'capabilities of 60 MB',
  'a schema that takes exponential time to match',
  'arrays of objects without end',
  'a result of 3 MB of objects',
  'an error of 40 MB',
  'a form of 50,000 fields',
  '10,000 questions at once',
  'HTTP: 12 questions with 60 MB in their metadata',
  'model: token counts as strings',
  'model: two calls with one id',
  'model: arguments nested 3,000 levels',
];

/** Cases that the size limit of messages stops, with servers without this limit: each must exceed a limit of the suite. */
export const controlCases: readonly HostileCase[] = [
  { name: 'capabilities of 20 MB', moment: 'connect', server: 'unguarded' },
  { name: 'a result of 20 MB of objects', moment: 'call', server: 'unguarded' },
  { name: 'HTTP: an event of 20 MB', moment: 'call', server: 'unguarded-far' },
];
