/** A block of a text in Markdown. Inline marks are parsed when the block is shown. */
export type Block =
  | { readonly kind: 'paragraph' | 'quote'; readonly text: string }
  | { readonly kind: 'heading'; readonly text: string; readonly level: number }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'rule' }
  | {
      readonly kind: 'list';
      readonly items: readonly ListItem[];
    }
  | {
      readonly kind: 'table';
      readonly head: readonly string[];
      readonly rows: readonly (readonly string[])[];
    };

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/;
const RULE = /^ {0,3}(?:-{3,}|\*{3,}|_{3,})\s*$/;
const ITEM = /^(\s*)(?:[-*+]|(\d{1,9})[.)])\s+(.*)$/;
const QUOTE = /^>\s?(.*)$/;
const DIVIDER = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

/** An item of a list, at any depth. */
export interface ListItem {
  readonly text: string;
  readonly depth: number;
  /** Undefined for an item with a bullet. */
  readonly number: number | undefined;
}

/**
 * Divides a text of a model into blocks: headings, lists, tables, quotes, code and paragraphs of Markdown. Everything else, such as
 * HTML, is text. Every line break of a paragraph is kept.
 */
export function parseBlocks(text: string): readonly Block[] {
  const lines = text.split('\n');
  const blocks: Block[] = [];
  for (let place = 0; place < lines.length;) {
    const [block, next] = blockAt(lines, place);
    if (block !== undefined) blocks.push(block);
    place = next;
  }
  return blocks;
}

type Parsed = readonly [block: Block | undefined, next: number];

function blockAt(lines: readonly string[], place: number): Parsed {
  const line = lines[place] ?? '';
  if (line.trim() === '') return [undefined, place + 1];
  const fence = FENCE.exec(line)?.[1];
  if (fence !== undefined) return codeAt(lines, place, fence);
  const [, marks, title = ''] = HEADING.exec(line) ?? [];
  if (marks !== undefined)
    return [{ kind: 'heading', text: title, level: marks.length }, place + 1];
  if (RULE.test(line)) return [{ kind: 'rule' }, place + 1];
  if (QUOTE.test(line)) return quoteAt(lines, place);
  if (ITEM.test(line)) return listAt(lines, place);
  if (line.includes('|') && isDivider(lines[place + 1])) return tableAt(lines, place);
  return paragraphAt(lines, place);
}

function codeAt(lines: readonly string[], place: number, fence: string): Parsed {
  const end = lines.findIndex((line, index) => index > place && line.trim().startsWith(fence));
  const last = end < 0 ? lines.length : end;
  return [{ kind: 'code', text: lines.slice(place + 1, last).join('\n') }, last + 1];
}

function quoteAt(lines: readonly string[], place: number): Parsed {
  const end = endOf(lines, place, (line) => QUOTE.test(line));
  const text = lines.slice(place, end).map((line) => QUOTE.exec(line)?.[1] ?? '');
  return [{ kind: 'quote', text: text.join('\n') }, end];
}

function listAt(lines: readonly string[], place: number): Parsed {
  const end = endOf(lines, place, (line) => ITEM.test(line) || /^\s{2,}\S/.test(line));
  const items: ListItem[] = [];
  for (const line of lines.slice(place, end)) {
    const [, indent = '', digits, text] = ITEM.exec(line) ?? [];
    const number = digits === undefined ? undefined : Number(digits);
    const last = items.at(-1);
    if (text !== undefined) items.push({ text, depth: depthOf(indent), number });
    else if (last !== undefined)
      items[items.length - 1] = { ...last, text: `${last.text}\n${line.trim()}` };
  }
  return [{ kind: 'list', items }, end];
}

function depthOf(indent: string): number {
  return Math.min(5, Math.floor(indent.replaceAll('\t', '    ').length / 2));
}

function tableAt(lines: readonly string[], place: number): Parsed {
  const end = endOf(lines, place + 2, (line) => line.includes('|'));
  const [head = [], , ...rows] = lines.slice(place, end).map((line) => cellsOf(line));
  const columns = head.map((_cell, index) => index);
  return [
    { kind: 'table', head, rows: rows.map((row) => columns.map((index) => row[index] ?? '')) },
    end,
  ];
}

function cellsOf(line: string): readonly string[] {
  return line
    .trim()
    .replace(/^\||(?<!\\)\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll(String.raw`\|`, '|'));
}

function paragraphAt(lines: readonly string[], place: number): Parsed {
  const end = endOf(
    lines,
    place + 1,
    (line, index) =>
      line.trim() !== '' &&
      !FENCE.test(line) &&
      !HEADING.test(line) &&
      !RULE.test(line) &&
      !QUOTE.test(line) &&
      !ITEM.test(line) &&
      !(line.includes('|') && isDivider(lines[index + 1])),
  );
  return [{ kind: 'paragraph', text: lines.slice(place, end).join('\n') }, end];
}

function isDivider(line: string | undefined): boolean {
  return line !== undefined && line.includes('-') && line.includes('|') && DIVIDER.test(line);
}

/** Returns the place of the first line from a place on that does not belong to a block. */
function endOf(
  lines: readonly string[],
  from: number,
  belongs: (line: string, index: number) => boolean,
): number {
  const end = lines.findIndex((line, index) => index >= from && !belongs(line, index));
  return end < 0 ? lines.length : end;
}
