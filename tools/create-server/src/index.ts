export { TEMPLATES } from './create-project.ts';
export { BASE_IMAGES, DOCKERIGNORE, dockerfile } from './publishing/dockerfile.ts';
export type { BaseImages } from './publishing/dockerfile.ts';
export { HOSTS, hostSections, hostSnippet } from './publishing/hosts.ts';
export type { Host, StartCommand } from './publishing/hosts.ts';
export { mcpbManifest } from './publishing/mcpb-manifest.ts';
export type { McpbDetails, McpbManifest, UserOption } from './publishing/mcpb-manifest.ts';
export { PUBLISHER_META, SERVER_JSON_SCHEMA, updateServerJson } from './publishing/server-json.ts';
export type {
  EnvironmentVariable,
  Input,
  PositionalArgument,
  RegistryPackage,
  ServerJson,
} from './publishing/server-json.ts';
export { browserUrl, withOrigin } from './publishing/server-manifest.ts';
export type { Origin, Repository, ServerManifest } from './publishing/server-manifest.ts';
export { serverNames, templateValues } from './server-names.ts';
export type { ServerNames, ServerOptions, TemplateFacts } from './server-names.ts';
