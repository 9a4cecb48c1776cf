import type { ViewUi } from './ui-extension.ts';

/**
 * Returns the policy for a view: nothing but its own inline scripts and styles, and the origins that it
 * declares.
 * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx#4-content-security-policy-enforcement
 */
export function contentSecurityPolicy({ csp = {} }: ViewUi): string {
  const resources = origins(csp.resourceDomains);
  const connections = origins(csp.connectDomains);
  return [
    `default-src 'none'`,
    `script-src 'self' 'unsafe-inline'${resources}`,
    `style-src 'self' 'unsafe-inline'${resources}`,
    `img-src 'self' data:${resources}`,
    `font-src 'self'${resources}`,
    `media-src 'self' data:${resources}`,
    `connect-src ${connections.trim() || `'none'`}`,
    `frame-src ${origins(csp.frameDomains).trim() || `'none'`}`,
    `base-uri ${origins(csp.baseUriDomains).trim() || `'self'`}`,
    `object-src 'none'`,
  ].join('; ');
}

/** Returns the valid origins, each after a space. Other values could add directives. */
function origins(domains: unknown): string {
  const values: readonly unknown[] = Array.isArray(domains) ? domains : [];
  return values
    .filter((value) => typeof value === 'string' && /^(?:https|wss):\/\/[\w*.:-]+$/u.test(value))
    .map((value) => ` ${String(value)}`)
    .join('');
}
