import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
} from '../../protocol/resources.ts';
import type { CompletionInput, CompletionOutput } from '../completion/completer.ts';
import type { InteractiveContext, RequestContext } from '../requests/request-context.ts';

/** A variable of a URI template that is being completed. */
export interface TemplateVariable {
  readonly uriTemplate: string;
  readonly name: string;
  /** The text so far. */
  readonly value: string;
}

/** Resources that a server does not know in advance, such as files. For a fixed set, pass `resources` and `templates` to `createServer` instead. */
export interface ResourceProvider {
  /** Returns a page of the resources; the first without a cursor. */
  list(cursor: string | undefined, context: RequestContext): Promise<ListResourcesResult>;
  /** Returns a page of the resource templates; the first without a cursor. */
  listTemplates?(
    cursor: string | undefined,
    context: RequestContext,
  ): Promise<ListResourceTemplatesResult>;
  /** @throws ResourceNotFoundError */
  read(uri: string, context: InteractiveContext): Promise<ReadResourceResult>;
  /**
   * Attaches a watcher for one subscriber of `uri`, before the subscription is acknowledged; the returned function detaches it. Throw to refuse. Called
   * once per subscriber and URI, so reference counting is the provider's task.
   */
  subscribe?(uri: string, context: RequestContext): Promise<() => Promise<void> | void>;
  /** Suggests values for a variable. @throws ProtocolError -32602 for a template or variable that does not exist */
  complete?(
    variable: TemplateVariable,
    input: CompletionInput,
  ): Promise<CompletionOutput> | CompletionOutput;
}
