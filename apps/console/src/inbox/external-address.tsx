import type { ReactNode } from 'react';
import { Icon } from '../ui/icon.tsx';
import { PlainText } from '../ui/plain-text.tsx';
import './external-address.css';
import { webAddress } from './web-address.ts';

interface ExternalAddressProps {
  readonly url: string;
  /** Host as the service reads it. */
  readonly host: string;
}

/** An address outside of the console, with its host, and a link that opens it in another tab without a reference to this one. */
export function ExternalAddress({ url, host }: ExternalAddressProps): ReactNode {
  const address = webAddress(url);
  return (
    <div className="external-address">
      <p className="external-host">
        <span className="faint">Host</span>
        <strong>
          <PlainText text={address?.host ?? host} />
        </strong>
        {address?.isEncrypted === false && <span className="field-error">not encrypted</span>}
      </p>
      <p className="mono">
        <PlainText text={url} />
      </p>
      {address === undefined ? (
        <p className="field-error">This is no address of the web, so it cannot be opened here.</p>
      ) : (
        <p>
          <a className="button" href={address.href} target="_blank" rel="noopener noreferrer">
            <Icon name="link" />
            Open {address.host}
            <span className="visually-hidden"> in a new tab</span>
          </a>
        </p>
      )}
    </div>
  );
}
