import { isPlainObject } from '../../json/plain-object.ts';
import type { Block } from '../../ports/llm-provider.ts';
import { CALL_TOOL } from './find-tools.ts';

type ToolUse = Extract<Block, { type: 'tool_use' }>;

/** Replaces a call of `call_tool` by the call of the tool that it names. */
export function unwrapCallTool(toolUse: ToolUse): ToolUse {
  if (toolUse.name !== CALL_TOOL || toolUse.invalid !== undefined) return toolUse;
  const { name, arguments: args = {}, ...others } = toolUse.input;
  const { id, type } = toolUse;
  const [other] = Object.keys(others);
  if (typeof name !== 'string' || name === '')
    return { ...toolUse, invalid: 'name: must be the name of a tool' };
  if (!isPlainObject(args))
    return {
      id,
      type,
      name,
      input: {},
      invalid: `the "arguments" of ${CALL_TOOL} are not a JSON object.`,
    };
  if (other !== undefined)
    return {
      id,
      type,
      name,
      input: {},
      invalid: `${CALL_TOOL} has no argument "${other}"; put the arguments of the tool into "arguments".`,
    };
  return { id, type, name, input: args };
}
