const NO_SCRIPT = 'No model is configured, so only scripted demonstrations can be played.';

/** Returns the answer of the scripted provider to a prompt that no scenario knows. */
export function unansweredText(rest: string): string {
  return `${NO_SCRIPT} ${rest}`;
}

/** Whether the answer is the text of an unknown prompt. */
export function isUnanswered(answer: string): boolean {
  return answer.startsWith(NO_SCRIPT);
}
