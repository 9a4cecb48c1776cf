import type { ReactNode } from 'react';
import { JsonTree } from '../../ui/json-tree.tsx';
import { LongText, PlainText } from '../../ui/plain-text.tsx';
import { readResult, type ContentBlock } from './content-block.ts';
import { unifiedDiffIn } from './diff.ts';
import { DiffView } from './diff-view.tsx';
import { jsonIn } from './json-in.ts';
import { MediaView } from './media-view.tsx';
import { TableView } from './table-view.tsx';
import { tablesIn } from './tabular.ts';

/** The result of a tool call: texts, diffs, images, tables and JSON. */
export function ResultView({ result }: { readonly result: unknown }): ReactNode {
  const { blocks, structured, isStructuredShown } = readResult(result);
  return (
    <div className="result">
      {blocks.map((block, index) => (
        // Blocks have no other identity than their place.
        // oxlint-disable-next-line react/no-array-index-key
        <Block key={index} block={block} />
      ))}
      {structured !== undefined && <Structured value={structured} isFolded={isStructuredShown} />}
    </div>
  );
}

function Block({ block }: { readonly block: ContentBlock }): ReactNode {
  switch (block.type) {
    case 'text':
      return <TextBlock text={block.text} />;
    case 'image':
    case 'audio':
      return <MediaView kind={block.type} data={block.data} mimeType={block.mimeType} />;
    case 'link':
      return (
        <p>
          <span className="faint">Resource</span>{' '}
          {block.name !== undefined && <PlainText text={block.name} />}{' '}
          <code>
            <PlainText text={block.uri} />
          </code>
        </p>
      );
    case 'other':
      return <JsonTree value={block.value} />;
  }
}

function TextBlock({ text }: { readonly text: string }): ReactNode {
  const json = jsonIn(text);
  if (json !== undefined) return <Structured value={json} isFolded={false} />;
  const diff = unifiedDiffIn(text);
  return (
    <>
      {diff !== undefined && <DiffView diff={diff} />}
      {(diff === undefined || diff.length < text.length / 2) && <LongText text={text} isCode />}
    </>
  );
}

interface StructuredProps {
  readonly value: unknown;
  /** Whether the JSON is folded, because its texts are shown already. */
  readonly isFolded: boolean;
}

function Structured({ value, isFolded }: StructuredProps): ReactNode {
  const tables = tablesIn(value);
  return (
    <>
      {tables.map((table) => (
        <TableView key={table.title ?? ''} table={table} />
      ))}
      {tables.length === 0 && !isFolded ? (
        <JsonTree value={value} />
      ) : (
        <details className="raw">
          <summary>JSON</summary>
          <JsonTree value={value} openLevels={1} />
        </details>
      )}
    </>
  );
}
