/** How subscriptions detect changes. */
export type WatchMode = 'native' | 'polling' | 'off';
