/** Name of each operation in generated clients. Names are public and stable. */
export const OPERATION_IDS: { readonly [operation: string]: string } = {
  'POST /v1/runs': 'createRun',
  'GET /v1/runs': 'listRuns',
  'GET /v1/runs/{id}': 'getRun',
  'PATCH /v1/runs/{id}': 'updateRun',
  'DELETE /v1/runs/{id}': 'deleteRun',
  'POST /v1/runs/{id}/fork': 'forkRun',
  'POST /v1/runs/{id}/cancel': 'cancelRun',
  'POST /v1/runs/{id}/resume': 'resumeRun',
  'GET /v1/runs/{id}/events': 'listRunEvents',
  'POST /v1/artifacts': 'createArtifact',
  'GET /v1/runs/{id}/artifacts': 'listArtifacts',
  'GET /v1/runs/{id}/tool-calls': 'listToolCalls',
  'GET /v1/runs/{id}/tool-calls/{call_id}': 'getToolCall',
  'POST /v1/runs/{id}/tool-calls/{call_id}/cancel': 'cancelToolCall',
  'GET /v1/tools': 'listTools',
  'POST /v1/tools/{name}/call': 'callTool',
  'POST /v1/threads': 'createThread',
  'GET /v1/threads': 'listThreads',
  'GET /v1/threads/{id}': 'getThread',
  'PUT /v1/threads/{id}': 'replaceThread',
  'PATCH /v1/threads/{id}': 'updateThread',
  'DELETE /v1/threads/{id}': 'deleteThread',
  'GET /v1/threads/{id}/messages': 'listThreadMessages',
  'POST /v1/agents': 'createAgent',
  'GET /v1/agents': 'listAgents',
  'GET /v1/agents/{id}': 'getAgent',
  'PUT /v1/agents/{id}': 'replaceAgent',
  'DELETE /v1/agents/{id}': 'deleteAgent',
  'GET /v1/models': 'listModels',
  'GET /v1/models/{name}': 'getModel',
  'GET /v1/artifacts/{id}': 'getArtifact',
  'GET /v1/inbox': 'listInboxItems',
  'GET /v1/inbox/{id}': 'getInboxItem',
  'POST /v1/inbox/{id}/respond': 'respondToInboxItem',
  'GET /v1/approvals': 'listApprovals',
  'DELETE /v1/approvals/{id}': 'forgetApproval',
  'GET /v1/audit': 'listAuditEntries',
  'GET /v1/servers': 'listServers',
  'GET /v1/servers/{name}': 'getServer',
  'GET /v1/servers/{name}/tools': 'listServerTools',
  'POST /v1/servers/{name}/tools/{tool}/approve': 'approveServerTool',
  'POST /v1/servers/{name}/tools/approve': 'approveTools',
  'GET /v1/servers/{name}/resources': 'listServerResources',
  'GET /v1/servers/{name}/resources/read': 'readServerResource',
  'GET /v1/servers/{name}/resource-templates': 'listServerResourceTemplates',
  'GET /v1/servers/{name}/prompts': 'listServerPrompts',
  'POST /v1/servers/{name}/prompts/{prompt}': 'getServerPrompt',
  'POST /v1/servers/{name}/completions': 'completeServerArgument',
  'GET /v1/servers/{name}/changes': 'followServerChanges',
  'POST /v1/servers/{name}/reconnect': 'reconnectServer',
  'POST /v1/servers/{name}/drain': 'drainServer',
  'PUT /v1/servers/{name}/roots': 'setServerRoots',
  'GET /healthz': 'getHealth',
  'GET /readyz': 'getReadiness',
  'GET /metrics': 'getMetrics',
};

/** Groups of operations, in the order of the document. */
export const TAGS = [
  { name: 'Runs', description: 'Agent runs: start, follow, cancel, fork, erase' },
  { name: 'Tools', description: 'Tools of all servers, and calls without a model' },
  { name: 'Inbox', description: 'Approvals, forms and other input that a person must give' },
  { name: 'Threads', description: 'Conversations of several runs' },
  { name: 'Agents', description: 'Stored definitions that runs start from' },
  { name: 'Models', description: 'Models of the configured providers' },
  { name: 'Servers', description: 'MCP servers and their features' },
  { name: 'Service', description: 'Health, metrics and the audit log' },
] as const;

type Tag = (typeof TAGS)[number]['name'];

const TAG_OF_SEGMENT: { readonly [segment: string]: Tag } = {
  runs: 'Runs',
  artifacts: 'Runs',
  tools: 'Tools',
  inbox: 'Inbox',
  approvals: 'Inbox',
  threads: 'Threads',
  agents: 'Agents',
  models: 'Models',
  servers: 'Servers',
};

/** Returns the group of a path, by its first segment after `/v1`. */
export function tagOf(path: string): Tag {
  return TAG_OF_SEGMENT[path.split('/')[2] ?? ''] ?? 'Service';
}
