import { useMemo, type ReactNode } from 'react';
import { LongText } from '../plain-text.tsx';
import { printable } from '../printable.ts';
import { parseBlocks, type Block } from './parse-blocks.ts';
import { parseInline, type Inline } from './parse-inline.ts';

/** Longer texts are shown as they are. */
const MAX_CHARACTERS = 50_000;

/**
 * A text of a model with the marks of Markdown. HTML in it stays text, and a link shows its address and cannot be followed: a model can be
 * made to write addresses that carry data away.
 */
export function RichText({ text }: { readonly text: string }): ReactNode {
  const blocks = useMemo(
    () => (text.length > MAX_CHARACTERS ? undefined : parseBlocks(printable(text))),
    [text],
  );
  if (blocks === undefined) return <LongText text={text} />;
  return (
    <div className="rich-text" dir="auto">
      {blocks.map((block, index) => (
        // Blocks have no other identity than their place.
        // oxlint-disable-next-line react/no-array-index-key
        <BlockView key={index} block={block} />
      ))}
    </div>
  );
}

function BlockView({ block }: { readonly block: Block }): ReactNode {
  switch (block.kind) {
    case 'paragraph':
      return (
        <p>
          <Line text={block.text} />
        </p>
      );
    case 'quote':
      return (
        <blockquote>
          <Line text={block.text} />
        </blockquote>
      );
    case 'heading':
      // The headings of the page are not those of its texts.
      return (
        <p className={`rich-heading level-${block.level}`}>
          <Line text={block.text} />
        </p>
      );
    case 'code':
      return (
        // A scrolling region must be reachable by keyboard.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <pre tabIndex={0}>{block.text}</pre>
      );
    case 'rule':
      return <hr />;
    case 'list':
      return <List block={block} />;
    case 'table':
      return <Table block={block} />;
  }
}

function List({ block }: { readonly block: Extract<Block, { kind: 'list' }> }): ReactNode {
  return (
    <ol>
      {block.items.map(({ text, depth, number }, index) => (
        <li
          // oxlint-disable-next-line react/no-array-index-key
          key={index}
          className={`depth-${depth}${number === undefined ? ' bullet' : ''}`}
          value={number}
        >
          <Line text={text} />
        </li>
      ))}
    </ol>
  );
}

function Table({ block }: { readonly block: Extract<Block, { kind: 'table' }> }): ReactNode {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="table-frame" role="region" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {block.head.map((cell, index) => (
              // oxlint-disable-next-line react/no-array-index-key
              <th key={index} scope="col">
                <Line text={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {block.rows.map((row, index) => (
            // oxlint-disable-next-line react/no-array-index-key
            <tr key={index}>
              {row.map((cell, column) => (
                // oxlint-disable-next-line react/no-array-index-key
                <td key={column}>
                  <Line text={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Line({ text }: { readonly text: string }): ReactNode {
  return parseInline(text).map((piece, index) => (
    // oxlint-disable-next-line react/no-array-index-key
    <Piece key={index} piece={piece} />
  ));
}

function Piece({ piece }: { readonly piece: Inline }): ReactNode {
  switch (piece.kind) {
    case 'text':
      return piece.text;
    case 'code':
      return <code>{piece.text}</code>;
    case 'strong':
      return <strong>{piece.text}</strong>;
    case 'emphasis':
      return <em>{piece.text}</em>;
    case 'link':
      return (
        <>
          {piece.text} <span className="rich-address">({piece.address})</span>
        </>
      );
  }
}
