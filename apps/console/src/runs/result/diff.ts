/** A line of a unified diff. */
export interface DiffLine {
  readonly kind: 'header' | 'hunk' | 'added' | 'removed' | 'same';
  readonly text: string;
}

const HUNK = /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/;
const UNIFIED = /^--- .*\r?\n\+\+\+ .*\r?\n@@ -\d/m;

/** Returns the part of a text that is a unified diff, without the fence of Markdown around it. */
export function unifiedDiffIn(text: string): string | undefined {
  const start = UNIFIED.exec(text)?.index;
  if (start === undefined) return undefined;
  return text.slice(start).split(/^```/m)[0];
}

/** Returns the lines of a unified diff. */
export function diffLines(diff: string): readonly DiffLine[] {
  return diff
    .replace(/\n$/, '')
    .split('\n')
    .map((text) => ({ kind: kindOf(text), text }));
}

function kindOf(line: string): DiffLine['kind'] {
  if (HUNK.test(line)) return 'hunk';
  if (/^(?:--- |\+\+\+ |diff |index |\\ )/.test(line)) return 'header';
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : 'same';
}
