import type { Config, InvalidServer, ServerConfig } from '../config/config.ts';
import { launchDigest } from '../config/launch-digest.ts';
import type { ServerPolicy } from '../run/core/server-policy.ts';

/** The configured servers of a process, which change when servers are edited. */
export class ConfiguredServers {
  /** Policies by name of the server. The same object after each change. */
  readonly policies: { readonly [server: string]: ServerPolicy };
  readonly #policies: { [server: string]: ServerPolicy } = {};
  readonly #servers = new Map<string, ServerConfig>();
  readonly #invalid: Map<string, InvalidServer>;

  constructor({ servers, invalidServers = [] }: Pick<Config, 'servers' | 'invalidServers'>) {
    this.policies = this.#policies;
    this.#invalid = new Map(invalidServers.map((server) => [server.name, server]));
    for (const server of servers) this.put(server);
  }

  get all(): readonly ServerConfig[] {
    return [...this.#servers.values()];
  }

  /** Servers that are listed but not used. */
  get invalid(): readonly InvalidServer[] {
    return [...this.#invalid.values()];
  }

  get(name: string): ServerConfig | undefined {
    return this.#servers.get(name);
  }

  /** Adds a server, or replaces the server of that name. */
  put(server: ServerConfig): void {
    this.#invalid.delete(server.name);
    this.#servers.set(server.name, server);
    this.#policies[server.name] = policyOf(server);
  }

  remove(name: string): void {
    this.#invalid.delete(name);
    this.#servers.delete(name);
    delete this.#policies[name];
  }
}

function policyOf(server: ServerConfig): ServerPolicy {
  const { approval, approvals = [], sampling, samplingReview = false } = server;
  return { approval, approvals, sampling, samplingReview, launchDigest: launchDigest(server) };
}
