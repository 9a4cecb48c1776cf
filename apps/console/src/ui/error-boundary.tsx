import { Component, type ReactNode } from 'react';
import { ErrorNotice } from './error-notice.tsx';
import { MissingFileError } from './missing-file-error.ts';
import { PageHeader } from './page-header.tsx';

interface ErrorBoundaryProps {
  readonly children: ReactNode;
}

interface ErrorBoundaryState {
  readonly error: unknown;
}

/** Shows an error of the pages below it in their place. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override readonly state: ErrorBoundaryState = { error: undefined };

  static getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return error instanceof MissingFileError ? (
      <>
        <PageHeader title="This page is out of date" />
        <ErrorNotice
          title="A file of the page could not be loaded"
          error={error}
          retryLabel="Reload"
          onRetry={() => location.reload()}
        />
      </>
    ) : (
      <>
        <PageHeader title="This page failed" />
        <ErrorNotice
          title="An error ended the page"
          error={error}
          onRetry={() => this.setState({ error: undefined })}
        />
      </>
    );
  }
}
