/** A replacement of a text by another, as the arguments of a tool describe it. */
export interface TextEdit {
  readonly before: string;
  readonly after: string;
}

/** Names under which tools take the old and the new text. */
const NAMES: readonly (readonly [before: string, after: string])[] = [
  ['oldText', 'newText'],
  ['old_text', 'new_text'],
  ['old_string', 'new_string'],
  ['oldString', 'newString'],
];
/** Edits that are shown. */
const MAX_EDITS = 20;

/** Returns the replacements of texts in the arguments of a tool: its own, and those of a list in it. */
export function textEdits(args: unknown): readonly TextEdit[] {
  if (!isObject(args)) return [];
  const entries: readonly unknown[] = [
    args,
    ...Object.values(args).flatMap((value): readonly unknown[] =>
      Array.isArray(value) ? value : [],
    ),
  ];
  return entries
    .flatMap((entry: unknown) => {
      const edit = isObject(entry) ? editOf(entry) : undefined;
      return edit === undefined ? [] : [edit];
    })
    .slice(0, MAX_EDITS);
}

function editOf(object: { readonly [name: string]: unknown }): TextEdit | undefined {
  for (const [old, now] of NAMES) {
    const before = object[old];
    const after = object[now];
    if (typeof before === 'string' && typeof after === 'string') return { before, after };
  }
  return undefined;
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null;
}
