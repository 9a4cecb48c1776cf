import type { AnchorHTMLAttributes, MouseEvent, ReactNode } from 'react';
import { navigate } from './router.ts';

interface LinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  /** Address of the console, such as `/runs`. */
  readonly href: string;
  readonly children: ReactNode;
}

/** A link to an address of the console. It loads no document, and opens a tab as every other link does. */
export function Link({ href, onClick, children, ...rest }: LinkProps): ReactNode {
  const follow = (event: MouseEvent<HTMLAnchorElement>): void => {
    onClick?.(event);
    const isPlain =
      event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (event.defaultPrevented || !isPlain || rest.target !== undefined) return;
    event.preventDefault();
    navigate(href);
  };
  return (
    <a {...rest} href={href} onClick={follow}>
      {children}
    </a>
  );
}
