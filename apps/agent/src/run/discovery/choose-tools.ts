import type { ToolSpec } from '../../ports/llm-provider.ts';
import type { CatalogueTool } from '../../ports/tool-registry.ts';

/** What the definitions of tools may take of a context of unknown size, in tokens. */
export const MAX_TOOL_TOKENS = 20_000;
const SHARE_OF_CONTEXT = 0.1;
/** Providers take 128; three of them are ours. */
const MAX_TOOLS = 125;
const CHARACTERS_PER_TOKEN = 4;

export interface ChosenTools {
  /** Those whose definitions the model gets. */
  readonly direct: readonly CatalogueTool[];
  /** Those that it has to look for. */
  readonly others: readonly CatalogueTool[];
}

/** Gives the model the definitions of all tools, or, where that would be too many or too long, those of whole servers, the smallest first. */
export function chooseTools(
  tools: readonly CatalogueTool[],
  contextTokens: number | undefined,
): ChosenTools {
  const maxTokens = Math.min(MAX_TOOL_TOKENS, (contextTokens ?? Infinity) * SHARE_OF_CONTEXT);
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

/** A rough count. */
export function tokensOf(spec: ToolSpec): number {
  return Math.ceil(JSON.stringify(spec).length / CHARACTERS_PER_TOKEN);
}
