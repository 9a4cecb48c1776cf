import { ToolError } from '@signalbox/mcp-core';
import { defineResource, type ResourceDefinition } from '@signalbox/mcp-core/server';

export const INSIGHTS_URI = 'memo://insights';
const MAX_BYTES = 256 * 1024;

/** The insights of this process, in order; at most 256 KiB of text. */
export class Insights {
  readonly #insights: string[] = [];
  #bytes = 0;

  /** Adds an insight and returns the number of insights. @throws ToolError when the memo is full */
  append(insight: string): number {
    const bytes = Buffer.byteLength(insight);
    if (this.#bytes + bytes > MAX_BYTES)
      throw new ToolError(
        `The memo has ${this.#bytes} bytes and takes at most ${MAX_BYTES}; this insight has ${bytes}. Write a shorter one.`,
      );
    this.#bytes += bytes;
    return this.#insights.push(insight);
  }

  /** Returns the memo, in the words of the reference server. */
  toText(): string {
    const count = this.#insights.length;
    if (count === 0) return 'No business insights have been discovered yet.';
    const list = this.#insights.map((insight) => `- ${insight}`).join('\n');
    const summary =
      count === 1
        ? ''
        : `\nSummary:\nAnalysis has revealed ${count} key business insights that suggest opportunities for strategic optimization and growth.`;
    return `📊 Business Intelligence Memo 📊\n\nKey Insights Discovered:\n\n${list}${summary}`;
  }
}

/** Returns the resource `memo://insights`. */
export function insightsResource(insights: Insights): ResourceDefinition {
  return defineResource({
    uri: INSIGHTS_URI,
    name: 'Business Insights Memo',
    description: 'The insights that append_insight has collected',
    mimeType: 'text/plain',
    read: () => insights.toText(),
  });
}
