/** An address that a person may open. */
export interface WebAddress {
  readonly href: string;
  /** Host as the browser will use it, in ASCII, with the port. */
  readonly host: string;
  readonly isEncrypted: boolean;
}

/** Returns the address if it is one of the web; undefined for every other scheme, such as `javascript:`. */
export function webAddress(url: string): WebAddress | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, href, host } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') return undefined;
  return { href, host, isEncrypted: protocol === 'https:' };
}
