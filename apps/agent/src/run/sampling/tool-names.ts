import { createHash } from 'node:crypto';
import type { Tool } from '@signalbox/mcp-core';
import type { ToolSpec } from '../../ports/llm-provider.ts';

/**
 * Maps the tool names of a sampling request to wire names and back. The mapping holds for one
 * request and is unrelated to the tools of the run.
 */
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

  /**
   * Returns the name that the model uses, `^[a-zA-Z0-9_-]{1,64}$`; tools of earlier requests have
   * one too.
   */
  toWire(name: string): string {
    return this.#wireNames.get(name) ?? wireName(name);
  }

  /** Returns the server's own name; an invented name stays as it is. */
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
