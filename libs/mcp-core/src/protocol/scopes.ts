/** Whether a text can be an OAuth scope. @see https://www.rfc-editor.org/rfc/rfc6749#section-3.3 */
export function isScope(text: string): boolean {
  return /^[\u{21}\u{23}-\u{5b}\u{5d}-\u{7e}]+$/u.test(text);
}

/** Returns the scopes that are not among those granted. */
export function missingScopes(
  needed: readonly string[],
  granted: readonly string[],
): readonly string[] {
  return needed.filter((scope) => !granted.includes(scope));
}
