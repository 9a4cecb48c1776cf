import { createHash } from 'node:crypto';
import type { Tool } from '@signalbox/mcp-core';
import type { ToolSpec } from '../../ports/llm-provider.ts';

/** The names of a sampling request's tools on the wire and back. They hold for one request, and have nothing to do with the tools of the run. */
export class SamplingTools {
  readonly specs: readonly ToolSpec[];
  readonly #wireNames = new Map<string, string>();
  readonly #names = new Map<string, string>();

  constructor(tools: readonly Tool[]) {
    for (const { name } of tools) this.#add(name);
    this.specs = tools.map(({ name, description = '', inputSchema }) => ({
      name: this.toWire(name),
      description,
      inputSchema,
    }));
  }

  /** The name that a model calls the tool by, `^[a-zA-Z0-9_-]{1,64}$`; also for tools that an earlier request had. */
  toWire(name: string): string {
    return this.#wireNames.get(name) ?? wireName(name);
  }

  /** The server's own name; what a model made up stays as it is. */
  fromWire(wire: string): string {
    return this.#names.get(wire) ?? wire;
  }

  #add(name: string): void {
    const plain = wireName(name);
    const wire = this.#names.has(plain) ? digested(name) : plain;
    this.#wireNames.set(name, wire);
    this.#names.set(wire, name);
  }
}

function wireName(name: string): string {
  return /^[a-zA-Z0-9_-]{1,64}$/.test(name) ? name : digested(name);
}

function digested(name: string): string {
  return `${name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 55)}_${createHash('sha256').update(name).digest('hex').slice(0, 8)}`;
}
