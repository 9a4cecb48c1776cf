import type { Root } from '../../protocol/client-features.ts';
import { LocalError } from '../../protocol/errors.ts';
import type { InputContext, InputHandlers } from './input-handlers.ts';

/**
 * Runs the `listRoots` handler.
 * @throws LocalError `invalid-argument` for a root that is not a `file://` URI
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/roots
 */
export async function listRoots(
  handler: NonNullable<InputHandlers['listRoots']>,
  context: InputContext,
): Promise<readonly Root[]> {
  const roots = await handler(context);
  const invalid = roots.find(({ uri }) => !uri.startsWith('file://'));
  if (invalid !== undefined)
    throw new LocalError('invalid-argument', `A root must be a file:// URI, not ${invalid.uri}.`);
  return roots;
}
