import type * as Ours from '@signalbox/mcp-core';
import { expectTypeOf, test } from 'vitest';
import type * as Official from '../../../peers/src/sdk-v2-types.ts';

type Json = { [key: string]: unknown };
/** Free-form JSON: our types leave it open, the SDK names some members. */
type Open = '_meta' | 'inputSchema' | 'outputSchema' | 'requestedSchema';
type Primitive = string | number | boolean | null | undefined;
type Known<T> = keyof {
  [Key in keyof T as string extends Key ? never : number extends Key ? never : Key]: T[Key];
};

/**
 * A type without the parts that the comparison ignores: `readonly`, room for unknown members, and
 * `undefined` in optional members.
 */
type Plain<T> = unknown extends T
  ? T
  : T extends Primitive
    ? T
    : T extends readonly (infer Element)[]
      ? Plain<Element>[]
      : [Known<T>] extends [never]
        ? Json
        : {
            -readonly [Key in keyof T as Key extends Known<T> ? Key : never]: Key extends Open
              ? Json
              : Plain<Exclude<T[Key], undefined>>;
          };

/**
 * The differences between our type of an object and the SDK's, except members that only one of them
 * has on purpose.
 */
type Difference<
  Our,
  Their,
  OnlyOurs extends string = never,
  OnlyTheirs extends string = never,
> = DifferenceOf<Omit<Plain<Our>, OnlyOurs>, Omit<Plain<Their>, OnlyTheirs>>;
type DifferenceOf<Our, Their> = [Exclude<keyof Our, keyof Their>] extends [never]
  ? [Exclude<keyof Their, keyof Our>] extends [never]
    ? UnionDifferenceOf<Our, Their>
    : { readonly theirsHas: Exclude<keyof Their, keyof Our> }
  : { readonly oursHas: Exclude<keyof Our, keyof Their> };

/** The differences between our union and the SDK's. */
type UnionDifference<Our, Their> = UnionDifferenceOf<Plain<Our>, Plain<Their>>;
type UnionDifferenceOf<Our, Their> = [Our] extends [Their]
  ? [Their] extends [Our]
    ? 'none'
    : { readonly oursDoesNotTake: Exclude<Their, Our> }
  : { readonly theirsDoesNotTake: Exclude<Our, Their> };

// The compiler runs these.
test('the comparison detects missing members, wrong types and wrong optionality', () => {
  interface Their {
    readonly name: string;
    readonly kind?: 'a' | 'b';
  }
  expectTypeOf<
    Difference<{ name: string; kind?: 'a' | 'b' | undefined; [key: string]: unknown }, Their>
  >().toEqualTypeOf<'none'>();
  expectTypeOf<Difference<{ name: string }, Their>>().not.toEqualTypeOf<'none'>();
  expectTypeOf<
    Difference<{ name: string; kind?: 'a' | 'b'; more?: string }, Their>
  >().not.toEqualTypeOf<'none'>();
  expectTypeOf<Difference<{ name: string; kind?: 'a' }, Their>>().not.toEqualTypeOf<'none'>();
  expectTypeOf<
    Difference<{ name: string; kind?: 'a' | 'b' | 'c' }, Their>
  >().not.toEqualTypeOf<'none'>();
  expectTypeOf<
    Difference<{ name?: string; kind?: 'a' | 'b' }, Their>
  >().not.toEqualTypeOf<'none'>();
  expectTypeOf<Difference<{ name: string; kind: 'a' | 'b' }, Their>>().not.toEqualTypeOf<'none'>();
});

test('our types of content are those of the official SDK', () => {
  expectTypeOf<Difference<Ours.TextContent, Official.TextContent>>().toEqualTypeOf<'none'>();
  expectTypeOf<Difference<Ours.ImageContent, Official.ImageContent>>().toEqualTypeOf<'none'>();
  expectTypeOf<Difference<Ours.AudioContent, Official.AudioContent>>().toEqualTypeOf<'none'>();
  expectTypeOf<Difference<Ours.ResourceLink, Official.ResourceLink>>().toEqualTypeOf<'none'>();
  expectTypeOf<
    Difference<Ours.EmbeddedResource, Official.EmbeddedResource>
  >().toEqualTypeOf<'none'>();
  expectTypeOf<UnionDifference<Ours.ContentBlock, Official.ContentBlock>>().toEqualTypeOf<'none'>();
  expectTypeOf<
    Difference<Ours.TextResourceContents, Official.TextResourceContents>
  >().toEqualTypeOf<'none'>();
  expectTypeOf<
    Difference<Ours.BlobResourceContents, Official.BlobResourceContents>
  >().toEqualTypeOf<'none'>();
  expectTypeOf<Difference<Ours.Annotations, Official.Annotations>>().toEqualTypeOf<'none'>();
  expectTypeOf<Difference<Ours.Icon, Official.Icon>>().toEqualTypeOf<'none'>();
  expectTypeOf<UnionDifference<Ours.Role, Official.Role>>().toEqualTypeOf<'none'>();
});

test('our types of tools, resources and prompts are those of the official SDK', () => {
  // `task` is `execution.taskSupport` of 2025-11-25.
  expectTypeOf<Difference<Ours.Tool, Official.Tool, 'task', 'execution'>>().toEqualTypeOf<'none'>();
  expectTypeOf<
    Difference<Ours.ToolAnnotations, Official.ToolAnnotations>
  >().toEqualTypeOf<'none'>();
  expectTypeOf<Difference<Ours.CallToolResult, Official.CallToolResult>>().toEqualTypeOf<'none'>();
  expectTypeOf<Difference<Ours.Resource, Official.Resource>>().toEqualTypeOf<'none'>();
  expectTypeOf<
    Difference<Ours.ResourceTemplate, Official.ResourceTemplateType>
  >().toEqualTypeOf<'none'>();
  // The SDK has cache hints only in types of 2026-07-28, which it does not export; `_meta` of lists
  // belongs to the server.
  expectTypeOf<
    Difference<
      Ours.ListResourcesResult,
      Official.ListResourcesResult,
      keyof Ours.CacheHints,
      '_meta'
    >
  >().toEqualTypeOf<'none'>();
  expectTypeOf<
    Difference<Ours.ReadResourceResult, Official.ReadResourceResult, keyof Ours.CacheHints, '_meta'>
  >().toEqualTypeOf<'none'>();
  expectTypeOf<Difference<Ours.Prompt, Official.Prompt>>().toEqualTypeOf<'none'>();
  // The specification gives arguments a title, which the SDK omits.
  expectTypeOf<
    Difference<Ours.PromptArgument, Official.PromptArgument, 'title'>
  >().toEqualTypeOf<'none'>();
  expectTypeOf<Difference<Ours.PromptMessage, Official.PromptMessage>>().toEqualTypeOf<'none'>();
  expectTypeOf<
    Difference<Ours.GetPromptResult, Official.GetPromptResult>
  >().toEqualTypeOf<'none'>();
  expectTypeOf<
    Difference<Ours.Completion, Official.CompleteResult['completion']>
  >().toEqualTypeOf<'none'>();
  expectTypeOf<
    UnionDifference<Ours.CompletionReference, Official.CompleteRequestParams['ref']>
  >().toEqualTypeOf<'none'>();
  // Task ids belong to the extension that the SDK does not have.
  expectTypeOf<
    Difference<Ours.SubscriptionFilter, Official.SubscriptionFilter, 'taskIds'>
  >().toEqualTypeOf<'none'>();
});

test('our types of input requests are those of the official SDK', () => {
  // `task` makes the input request a task of 2025-11-25, which we do not do.
  expectTypeOf<
    Difference<
      Ours.CreateMessageParams,
      Official.CreateMessageRequestParams,
      never,
      '_meta' | 'task'
    >
  >().toEqualTypeOf<'none'>();
  expectTypeOf<
    Difference<Ours.CreateMessageResult, Official.CreateMessageResultWithTools>
  >().toEqualTypeOf<'none'>();
  expectTypeOf<
    Difference<Ours.SamplingMessage, Official.SamplingMessage>
  >().toEqualTypeOf<'none'>();
  expectTypeOf<
    UnionDifference<Ours.SamplingContent, Official.SamplingMessageContentBlock>
  >().toEqualTypeOf<'none'>();
  expectTypeOf<
    Difference<Ours.ModelPreferences, Official.ModelPreferences>
  >().toEqualTypeOf<'none'>();
  expectTypeOf<
    Difference<Ours.ElicitFormParams, Official.ElicitRequestFormParams, never, '_meta' | 'task'>
  >().toEqualTypeOf<'none'>();
  // 2025-11-25 requires `elicitationId`, 2026-07-28 has none: ours is optional.
  expectTypeOf<
    Difference<
      Ours.ElicitUrlParams,
      Official.ElicitRequestURLParams,
      'elicitationId',
      'elicitationId' | '_meta' | 'task'
    >
  >().toEqualTypeOf<'none'>();
  expectTypeOf<
    Difference<Ours.ElicitResult, Official.ElicitResult, never, '_meta'>
  >().toEqualTypeOf<'none'>();
  expectTypeOf<Difference<Ours.Root, Official.Root, never, '_meta'>>().toEqualTypeOf<'none'>();
});

test('our types of peers, progress and logging are those of the official SDK', () => {
  expectTypeOf<Difference<Ours.Implementation, Official.Implementation>>().toEqualTypeOf<'none'>();
  expectTypeOf<
    Difference<Ours.ServerCapabilities, Official.ServerCapabilities>
  >().toEqualTypeOf<'none'>();
  expectTypeOf<
    Difference<Ours.ClientCapabilities, Official.ClientCapabilities>
  >().toEqualTypeOf<'none'>();
  expectTypeOf<UnionDifference<Ours.LoggingLevel, Official.LoggingLevel>>().toEqualTypeOf<'none'>();
  expectTypeOf<Difference<Ours.Progress, Official.Progress>>().toEqualTypeOf<'none'>();
  // The extension names its times with their unit, 2025-11-25 does not.
  expectTypeOf<
    Difference<Ours.Task, Official.Task, 'ttlMs' | 'pollIntervalMs', 'ttl' | 'pollInterval'>
  >().toEqualTypeOf<'none'>();
  expectTypeOf<UnionDifference<Ours.TaskStatus, Official.TaskStatus>>().toEqualTypeOf<'none'>();
});
