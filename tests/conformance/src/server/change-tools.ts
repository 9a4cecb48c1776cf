import {
  definePrompt,
  defineTool,
  type PromptDefinition,
  type Server,
  type ToolDefinition,
} from '@signalbox/mcp-core/server';
import { READ_ONLY } from './annotations.ts';
import { textResult } from './text-result.ts';

const NO_ARGUMENTS = { type: 'object', properties: {} } as const;

/** The changeable features of a server. */
export interface Offer {
  readonly tools: readonly ToolDefinition[];
  readonly prompts: readonly PromptDefinition[];
}

/** Creates tools that change the server's features: each call adds one, or removes it again. */
export function changeTools(server: () => Server, offer: () => Offer): readonly ToolDefinition[] {
  return [
    defineTool({
      name: 'test_trigger_tool_change',
      description: 'Changes the list of tools',
      inputSchema: NO_ARGUMENTS,
      annotations: { ...READ_ONLY, readOnlyHint: false },
      handler: () => {
        const { tools } = offer();
        server().setTools(
          server().tool(SOMETIMES_A_TOOL.name) === undefined ? [...tools, SOMETIMES_A_TOOL] : tools,
        );
        return textResult('The tools have changed.');
      },
    }),
    defineTool({
      name: 'test_trigger_prompt_change',
      description: 'Changes the list of prompts',
      inputSchema: NO_ARGUMENTS,
      annotations: { ...READ_ONLY, readOnlyHint: false },
      handler: () => {
        server().setPrompts([...offer().prompts, SOMETIMES_A_PROMPT]);
        return textResult('The prompts have changed.');
      },
    }),
  ];
}

const SOMETIMES_A_TOOL = defineTool({
  name: 'test_sometimes',
  description: 'Is there and gone again',
  inputSchema: NO_ARGUMENTS,
  annotations: READ_ONLY,
  handler: () => textResult('I am here.'),
});

const SOMETIMES_A_PROMPT = definePrompt({
  name: 'test_sometimes',
  description: 'Was not there before',
  handler: () => ({ messages: [{ role: 'user', content: { type: 'text', text: 'I am here.' } }] }),
});
