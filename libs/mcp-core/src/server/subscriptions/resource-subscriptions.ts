import { ErrorCode, ProtocolError } from '../../protocol/errors.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { ResourceProvider } from '../resources/resource-provider.ts';

type Detach = () => Promise<void> | void;

const MAX_WATCHES = 10_000;

/** The watched URIs of one subscriber, at most 10,000. Attaches a watcher once per URI and detaches all watchers when the subscriber ends. */
export class ResourceWatches {
  readonly #provider: ResourceProvider;
  readonly #onError: (error: unknown) => void;
  readonly #watches = new Map<string, Promise<Detach>>();
  #isEnded = false;

  constructor(provider: ResourceProvider, onError: (error: unknown) => void) {
    this.#provider = provider;
    this.#onError = onError;
  }

  has(uri: string): boolean {
    return this.#watches.has(uri);
  }

  /** Watches a URI unless it is watched already. Rejects with the provider's refusal, or when there are too many. */
  async add(uri: string, context: RequestContext): Promise<void> {
    if (!this.#watches.has(uri) && this.#watches.size >= MAX_WATCHES) {
      throw new ProtocolError(
        ErrorCode.invalidParams,
        `One subscriber can watch at most ${MAX_WATCHES} resources`,
      );
    }
    const watch = this.#watches.get(uri) ?? this.#attach(uri, context);
    this.#watches.set(uri, watch);
    try {
      await watch;
    } catch (error) {
      if (this.#watches.get(uri) === watch) this.#watches.delete(uri);
      throw error;
    }
    if (this.#isEnded) await this.remove(uri);
  }

  async remove(uri: string): Promise<void> {
    const watch = this.#watches.get(uri);
    this.#watches.delete(uri);
    // `add` reports the refusal.
    const detach = await watch?.catch(() => undefined);
    try {
      await detach?.();
    } catch (error) {
      this.#onError(error);
    }
  }

  /** Detaches all watchers, including those that are still being attached. */
  async end(): Promise<void> {
    this.#isEnded = true;
    await Promise.all([...this.#watches.keys()].map((uri) => this.remove(uri)));
  }

  async #attach(uri: string, context: RequestContext): Promise<Detach> {
    return (await this.#provider.subscribe?.(uri, context)) ?? (() => undefined);
  }
}
