import type { Codec } from '../../era/codec.ts';
import type { Era } from '../../era/versions.ts';
import { isJsonObject } from '../../jsonrpc/envelope.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { ClientCapabilities, ClientCapability } from '../../protocol/capabilities.ts';
import type { Implementation } from '../../protocol/implementation.ts';
import type { RequestClient } from './request-context.ts';

/** The client of a session or of one modern request. */
export class RequestingClient implements RequestClient {
  readonly info: Implementation | undefined;
  readonly #codec: Codec;
  readonly #capabilities: ClientCapabilities;

  constructor(codec: Codec, info: Implementation | undefined, capabilities: ClientCapabilities) {
    this.info = info;
    this.#codec = codec;
    this.#capabilities = capabilities;
  }

  get era(): Era {
    return this.#codec.era;
  }

  get extensions(): { readonly [name: string]: JsonObject } {
    return objectsOf(this.#capabilities.extensions);
  }

  get experimental(): { readonly [name: string]: JsonObject } {
    return objectsOf(this.#capabilities.experimental);
  }

  can(capability: ClientCapability): boolean {
    return this.#codec.can(this.#capabilities, capability);
  }
}

/** Drops settings that are not objects. */
function objectsOf(declared: unknown): { readonly [name: string]: JsonObject } {
  if (!isJsonObject(declared)) return {};
  const entries = Object.entries(declared);
  return Object.fromEntries(
    entries.filter((entry): entry is [string, JsonObject] => isJsonObject(entry[1])),
  );
}
