/** What steers a terminal instead of being shown, or shows text in another order than it has; line breaks and tabs are neither. */
const CONTROLS = /[^\P{Cc}\n\t]|\p{Bidi_Control}/gu;

/** Text of a model or a server as it may go to a terminal. */
export function terminalText(text: string): string {
  return text.replaceAll(CONTROLS, '');
}

/** The same on one line, so that it cannot look like lines of ours. */
export function terminalLine(text: string): string {
  return terminalText(text.replaceAll(/\s+/g, ' '));
}

/** JSON in which everything that steers a terminal is escaped. */
export function terminalJson(value: unknown): string {
  // Typed as a string, it is none for undefined.
  const json = JSON.stringify(value) as string | undefined;
  return (json ?? 'undefined').replaceAll(
    CONTROLS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
