/** Returns the scopes in a space-separated list. */
export function scopesIn(text: string | undefined): readonly string[] {
  return (text ?? '').split(' ').filter((scope) => scope !== '');
}

/** Returns the scopes of all lists, each once. */
export function unionOf(...lists: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(lists.flat())];
}

/** Whether a list contains all scopes of another. */
export function covers(list: readonly string[], others: readonly string[]): boolean {
  return others.every((scope) => list.includes(scope));
}
