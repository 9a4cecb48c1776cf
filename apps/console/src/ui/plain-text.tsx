import { useMemo, useState, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { formatBytes } from './format.ts';
import { printable } from './printable.ts';

/** Characters that a long text shows at first. */
const FIRST_CHARACTERS = 4000;
/** Characters of one block of a long text. The browser lays out only the blocks in view. */
const BLOCK_CHARACTERS = 20_000;

/** A short text of a model, server or person, isolated from the direction of the text around it. */
export function PlainText({ text }: { readonly text: string }): ReactNode {
  return <bdi>{useMemo(() => printable(text), [text])}</bdi>;
}

interface LongTextProps {
  readonly text: string;
  /** Whether line breaks and spaces are those of code. Default: no. */
  readonly isCode?: boolean;
}

/** A text of any length. Its first part is shown until the person asks for the rest. */
export function LongText({ text, isCode = false }: LongTextProps): ReactNode {
  const [isWhole, setIsWhole] = useState(false);
  const isLong = text.length > FIRST_CHARACTERS * 1.5;
  const shown = isLong && !isWhole ? text.slice(0, FIRST_CHARACTERS) : text;
  const blocks = useMemo(() => blocksOf(printable(shown)), [shown]);
  return (
    <div className={isCode ? 'long-text code' : 'long-text'} dir="auto">
      {blocks.map((block, index) => (
        // Blocks have no other identity than their place.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={index} className={blocks.length > 1 ? 'block' : undefined}>
          {block}
        </div>
      ))}
      {isLong && (
        <Button kind="quiet" onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? 'Show less' : `Show all (${formatBytes(text.length)})`}
        </Button>
      )}
    </div>
  );
}

/** Splits a text at line ends, if it has any in reach. */
function blocksOf(text: string): readonly string[] {
  const blocks: string[] = [];
  for (let start = 0; start < text.length;) {
    const limit = start + BLOCK_CHARACTERS;
    const lineEnd = limit < text.length ? text.lastIndexOf('\n', limit) : text.length;
    const end = lineEnd > start ? lineEnd : limit;
    blocks.push(text.slice(start, end));
    start = text[end] === '\n' ? end + 1 : end;
  }
  return blocks;
}
