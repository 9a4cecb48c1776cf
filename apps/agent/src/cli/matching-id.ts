import { UsageError } from './io.ts';

const WHOLE_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns the id that begins or ends with `part`, and `part` itself when it is a whole id or no id matches. @throws UsageError when it is empty or several ids match */
export async function matchingId(
  part: string,
  noun: string,
  list: () => Promise<readonly string[]>,
): Promise<string> {
  // Every id begins with an empty text, such as an unset variable of a shell.
  if (part.trim() === '')
    throw new UsageError(`the id is empty; give the id of one of the ${noun}, or a part of it`);
  if (WHOLE_ID.test(part)) return part;
  const ids = await list();
  const found = ids.includes(part)
    ? [part]
    : ids.filter((id) => id.startsWith(part) || id.endsWith(part));
  if (found.length > 1)
    throw new UsageError(
      `${found.length} ${noun} begin or end with "${part}": ${found.slice(0, 3).join(', ')}${found.length > 3 ? ', …' : ''}; use a longer part of the id`,
    );
  return found[0] ?? part;
}
