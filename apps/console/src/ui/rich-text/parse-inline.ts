/** A piece of a line of Markdown. */
export type Inline =
  | { readonly kind: 'text' | 'code' | 'strong' | 'emphasis'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly address: string };

/** Marks in the order in which they are looked for at a place. Each ends on its line, so the search stays linear. */
const MARK =
  /`([^`\n]+)`|\*\*([^*\s][^*\n]*)\*\*|__([^_\s][^_\n]*)__|(?<![\w*])\*([^*\s][^*\n]*)\*(?!\w)|(?<!\w)_([^_\s][^_\n]*)_(?!\w)|\[([^\]\n]{1,500})\]\(([^()\s]{1,2000})\)/g;

/** Divides a text into plain and marked pieces. Marks inside of marks are text. */
export function parseInline(text: string): readonly Inline[] {
  const pieces: Inline[] = [];
  let end = 0;
  for (const match of text.matchAll(MARK)) {
    if (match.index > end) pieces.push({ kind: 'text', text: text.slice(end, match.index) });
    pieces.push(pieceOf(match));
    end = match.index + match[0].length;
  }
  if (end < text.length) pieces.push({ kind: 'text', text: text.slice(end) });
  return pieces;
}

function pieceOf(match: RegExpExecArray): Inline {
  const [whole, code, stars, bars, star, bar, label, address] = match;
  if (code !== undefined) return { kind: 'code', text: code };
  const strong = stars ?? bars;
  if (strong !== undefined) return { kind: 'strong', text: strong };
  const emphasis = star ?? bar;
  if (emphasis !== undefined) return { kind: 'emphasis', text: emphasis };
  if (label !== undefined && address !== undefined) return { kind: 'link', text: label, address };
  return { kind: 'text', text: whole };
}
