import type { ToolSpec } from '../../ports/llm-provider.ts';
import type { CatalogueTool } from '../../ports/tool-catalogue.ts';
import { tokensIn } from '../../usage/estimate-tokens.ts';

/** Maximum number of tokens for tool definitions when the context size of the model is unknown. */
export const MAX_TOOL_TOKENS = 20_000;
const SHARE_OF_CONTEXT = 0.1;
/** Providers accept 128 tools; three are our own. */
const MAX_TOOLS = 125;

export interface ChosenTools {
  /** Tools whose definitions the model gets. */
  readonly direct: readonly CatalogueTool[];
  /** Tools that the model has to search for. */
  readonly others: readonly CatalogueTool[];
}

/**
 * Chooses the tools whose definitions the model gets: all, or, when those are too many or too long,
 * the tools of whole servers, smallest server first. `contextTokens` is `Infinity` when the context
 * size is unknown.
 */
export function chooseTools(tools: readonly CatalogueTool[], contextTokens: number): ChosenTools {
  const maxTokens = Math.min(MAX_TOOL_TOKENS, contextTokens * SHARE_OF_CONTEXT);
  const servers = [...Map.groupBy(tools, ({ server }) => server)]
    .map(([name, ofServer]) => ({
      name,
      count: ofServer.length,
      tokens: ofServer.reduce((sum, tool) => sum + tokensOf(specOf(tool)), 0),
    }))
    .toSorted((left, right) => left.tokens - right.tokens || (left.name < right.name ? -1 : 1));
  const chosen = new Set<string>();
  let [count, tokens] = [0, 0];
  for (const server of servers) {
    [count, tokens] = [count + server.count, tokens + server.tokens];
    if (count > MAX_TOOLS || tokens > maxTokens) break;
    chosen.add(server.name);
  }
  return {
    direct: tools.filter(({ server }) => chosen.has(server)),
    others: tools.filter(({ server }) => !chosen.has(server)),
  };
}

export function specOf({ wireName, description, inputSchema }: CatalogueTool): ToolSpec {
  return { name: wireName, description, inputSchema };
}

/** Estimates the tokens of a tool definition. */
export function tokensOf(spec: ToolSpec): number {
  return tokensIn(JSON.stringify(spec).length);
}
