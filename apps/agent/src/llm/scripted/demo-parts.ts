/** Answer of a demo whose tool failed. */
export const TOOL_FAILED =
  'The tool ${error.tool} failed, so there is no answer. It said: ${error.text}';

/** Pace of most demos: milliseconds to the first token, and tokens per second. */
export const PACE = { ttftMs: 300, tokensPerSec: 60 };
