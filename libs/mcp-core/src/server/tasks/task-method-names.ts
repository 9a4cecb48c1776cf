/** The methods of the extension and of 2025-11-25; codecs decide which of them a revision has. */
export const TASK_METHODS = [
  'tasks/get',
  'tasks/update',
  'tasks/cancel',
  'tasks/result',
  'tasks/list',
] as const;

export type TaskMethod = (typeof TASK_METHODS)[number];
