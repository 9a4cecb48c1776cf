const PROXY_VARIABLE = /^(?:(?:https?|all)_proxy|npm_config_(?:https?[_-])?proxy)$/i;

/**
 * Returns the credentials in proxy URLs, which server processes inherit, in the forms that logs and
 * errors may contain.
 */
export function proxySecrets(env: {
  readonly [name: string]: string | undefined;
}): readonly string[] {
  return Object.entries(env).flatMap(([name, value = '']) => {
    const url = PROXY_VARIABLE.test(name) ? URL.parse(value) : null;
    if (url === null || url.password === '') return [];
    return [...new Set([`${url.username}:${url.password}`, url.password, decoded(url.password)])];
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A lone percent sign is literal.
    return text;
  }
}
