import { ProblemError } from '@signalbox/client';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import { PlainText } from './plain-text.tsx';

interface ErrorNoticeProps {
  readonly error: unknown;
  /** Action that failed, such as `The runs could not be loaded`. */
  readonly title: string;
  readonly onRetry?: () => void;
  /** Default: `Try again`. */
  readonly retryLabel?: string;
}

/** Says which action failed and why, with the code and the request id of the service. */
export function ErrorNotice({
  error,
  title,
  onRetry,
  retryLabel = 'Try again',
}: ErrorNoticeProps): ReactNode {
  return (
    <div className="notice bad" role="alert">
      <Icon name="error" />
      <div>
        <strong>{title}</strong>
        <p>
          <PlainText text={describeError(error)} />
        </p>
        {error instanceof ProblemError && (
          <p className="faint">
            <code>{error.code}</code>
            {error.requestId !== undefined && (
              <>
                {' '}
                · request <code>{error.requestId}</code>
              </>
            )}
          </p>
        )}
      </div>
      {onRetry !== undefined && (
        <Button icon="retry" onClick={onRetry}>
          {retryLabel}
        </Button>
      )}
    </div>
  );
}

/** Returns the text of an error for a person. */
export function describeError(error: unknown): string {
  if (error instanceof ProblemError) {
    const fields = error.fields.map(({ path, message }) => `${path}: ${message}`);
    return [error.message, ...fields].join('\n');
  }
  // A failed fetch throws a TypeError with a text that differs between browsers.
  if (error instanceof TypeError) return 'The service cannot be reached. Is it still running?';
  // A page in place of a response, such as the login of a proxy, is no JSON.
  if (error instanceof SyntaxError)
    return 'The response does not come from the service. A proxy in between may need a login: load this page again.';
  return error instanceof Error ? error.message : String(error);
}
