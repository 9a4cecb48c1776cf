import { calls } from './calls.ts';
import { changes } from './changes.ts';
import type { Feature } from './feature.ts';
import { lists } from './lists.ts';
import { inputRequests } from './input-requests.ts';
import { streams } from './streams.ts';
import { tasks } from './tasks.ts';

/** Features tested with every pair of a client and a server. */
export const features = {
  ...lists,
  ...calls,
  ...changes,
  ...inputRequests,
  ...streams,
  ...tasks,
} as const satisfies { readonly [name: string]: Feature };

export type FeatureName = keyof typeof features;
