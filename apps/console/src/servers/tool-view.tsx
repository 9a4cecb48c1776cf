import type { Tool } from '@signalbox/client';
import type { ReactNode } from 'react';
import { toolEffects } from '../inbox/tool-effects.ts';
import { Badge } from '../ui/badge.tsx';
import { LongText, PlainText } from '../ui/plain-text.tsx';
import { SchemaView } from '../ui/schema-view.tsx';
import { PinNotice } from './pin-notice.tsx';
import { ToolCallPanel } from './tool-call-panel.tsx';

/** A tool: what it does, its schemas, and a form that calls it. */
export function ToolView({ tool }: { readonly tool: Tool }): ReactNode {
  return (
    <article className="tool-view" aria-labelledby="tool-name">
      <header className="card">
        <h2 id="tool-name">
          <PlainText text={tool.tool} />
        </h2>
        {tool.title !== undefined && (
          <p>
            <strong>
              <PlainText text={tool.title} />
            </strong>
          </p>
        )}
        <ul className="badges">
          {toolEffects(tool.annotations).map(({ text, tone }) => (
            <li key={text}>
              <Badge tone={tone}>{text}</Badge>
            </li>
          ))}
          {!tool.trusted && (
            <li>
              <Badge>Hints are not trusted</Badge>
            </li>
          )}
        </ul>
        <LongText text={tool.description} />
        <PinNotice server={tool.server} tool={tool.tool} />
        <details>
          <summary>Arguments</summary>
          <SchemaView schema={tool.input_schema} empty="The tool has no arguments." />
        </details>
        {tool.output_schema !== undefined && (
          <details>
            <summary>Result</summary>
            <SchemaView schema={tool.output_schema} empty="The result is any object." />
          </details>
        )}
      </header>
      <ToolCallPanel tool={tool} />
    </article>
  );
}
