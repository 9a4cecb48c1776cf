/** Terminal control characters and text direction controls, except line breaks and tabs. */
const CONTROLS = /[^\P{Cc}\n\t]|\p{Bidi_Control}/gu;

/** Removes terminal controls from foreign text. */
export function terminalText(text: string): string {
  return text.replaceAll(CONTROLS, '');
}

/**
 * Removes terminal controls and line breaks from foreign text, so that it cannot imitate other
 * lines.
 */
export function terminalLine(text: string): string {
  return terminalText(text.replaceAll(/\s+/g, ' '));
}

/** Returns JSON with escaped terminal controls. */
export function terminalJson(value: unknown): string {
  // JSON.stringify returns undefined for undefined, unlike its type says.
  const json = JSON.stringify(value) as string | undefined;
  return (json ?? 'undefined').replaceAll(
    CONTROLS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
