import { clientAuthorization, serverAuthorization } from './authorization.ts';
import { base, schema } from './base.ts';
import { lifecycle, versioning } from './lifecycle.ts';
import { completion, pagination, prompts } from './prompts.ts';
import { elicitation, mrtr, roots, sampling } from './input-requests.ts';
import type { Requirement } from './requirement.ts';
import { resources, subscriptions } from './resources.ts';
import { stdio } from './stdio.ts';
import { httpSse, streamableHttpLegacy } from './streamable-http-legacy.ts';
import { streamableHttp } from './streamable-http.ts';
import { apps, coreTasks, taskExtension } from './tasks.ts';
import { tools } from './tools.ts';
import { caching, cancellation, logging, progress } from './utilities.ts';

const chapters = {
  ...base,
  ...schema,
  ...lifecycle,
  ...versioning,
  ...stdio,
  ...streamableHttpLegacy,
  ...httpSse,
  ...streamableHttp,
  ...tools,
  ...resources,
  ...subscriptions,
  ...prompts,
  ...completion,
  ...pagination,
  ...logging,
  ...caching,
  ...progress,
  ...cancellation,
  ...roots,
  ...sampling,
  ...elicitation,
  ...mrtr,
  ...coreTasks,
  ...taskExtension,
  ...apps,
  ...serverAuthorization,
  ...clientAuthorization,
};

export type RequirementId = keyof typeof chapters;

/** Every rule of the specification for clients and servers. */
export const requirements: { readonly [id in RequirementId]: Requirement } = chapters;
