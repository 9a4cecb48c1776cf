import type { JsonObject } from '../jsonrpc/messages.ts';
import type { AudioContent, ContentBlock, ImageContent, Role, TextContent } from './content.ts';
import type { JsonSchema, Tool } from './tools.ts';

/** @see https://modelcontextprotocol.io/specification/2026-07-28/client/roots */
export interface Root {
  /** A `file://` URI. */
  readonly uri: string;
  readonly name?: string;
}

/** A tool call that the model asks for, in a sampling message. */
export interface ToolUseContent {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
  readonly _meta?: JsonObject;
}

/** The result of a tool call that the model asked for, in a sampling message. */
export interface ToolResultContent {
  readonly type: 'tool_result';
  readonly toolUseId: string;
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: JsonObject;
}

/** Content of a sampling message. */
export type SamplingContent =
  | TextContent
  | ImageContent
  | AudioContent
  | ToolUseContent
  | ToolResultContent;

/** A message of the conversation that a sampling request continues. */
export type SamplingMessage = {
  readonly role: Role;
  readonly content: SamplingContent | readonly SamplingContent[];
  readonly _meta?: JsonObject;
};

/** Preferences of a server for the model of a sampling request. The client decides. */
export interface ModelPreferences {
  readonly hints?: readonly { readonly name?: string }[];
  /** From 0 to 1, like the other priorities. */
  readonly costPriority?: number;
  readonly speedPriority?: number;
  readonly intelligencePriority?: number;
}

/** @see https://modelcontextprotocol.io/specification/2026-07-28/client/sampling */
export interface CreateMessageParams {
  readonly messages: readonly SamplingMessage[];
  readonly modelPreferences?: ModelPreferences;
  readonly systemPrompt?: string;
  readonly includeContext?: 'none' | 'thisServer' | 'allServers';
  readonly temperature?: number;
  readonly maxTokens: number;
  readonly stopSequences?: readonly string[];
  readonly metadata?: JsonObject;
  readonly tools?: readonly Tool[];
  readonly toolChoice?: { readonly mode?: 'auto' | 'required' | 'none' };
}

/** The message of the model in response to `sampling/createMessage`. */
export type CreateMessageResult = SamplingMessage & {
  readonly model: string;
  /** `endTurn`, `stopSequence`, `maxTokens`, `toolUse` or a value of the provider. */
  readonly stopReason?: string;
};

/** @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation */
export interface ElicitFormParams {
  readonly mode?: 'form';
  readonly message: string;
  /** A flat object schema of primitives. */
  readonly requestedSchema: JsonSchema;
}

/** Parameters of an elicitation that asks the user to visit a URL. */
export interface ElicitUrlParams {
  readonly mode: 'url';
  readonly message: string;
  readonly url: string;
  /** Present only in revision 2025-11-25. */
  readonly elicitationId?: string;
}

/** Parameters of `elicitation/create`: a form, or a URL to visit. */
export type ElicitParams = ElicitFormParams | ElicitUrlParams;

/** The response of the user to an elicitation. */
export type ElicitResult = {
  readonly action: 'accept' | 'decline' | 'cancel';
  /** Present on an accepted form. */
  readonly content?: { readonly [key: string]: string | number | boolean | readonly string[] };
};
