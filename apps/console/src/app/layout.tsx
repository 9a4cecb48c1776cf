import { Suspense, useEffect, useRef, type ReactNode } from 'react';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorBoundary } from '../ui/error-boundary.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { Notifier } from '../inbox/notifier.tsx';
import { Link } from './link.tsx';
import { useLostFocus } from './lost-focus.ts';
import { Navigation } from './navigation.tsx';
import { useAddress } from './router.ts';
import { findRoute } from './routes.tsx';

/** The frame of every page: navigation, and the page of the current address. */
export function Layout(): ReactNode {
  const { pathname } = useAddress();
  const found = findRoute(pathname);
  const page = found?.route.section ?? pathname;
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);

  // Screen readers and keyboards continue at the new page, unless it has moved the focus to one of its fields.
  useEffect(() => {
    if (!isFirst.current) {
      if (main.current?.contains(document.activeElement) === false)
        main.current.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
    isFirst.current = false;
  }, [page]);
  useLostFocus(main);

  return (
    <div className="layout">
      <a className="skip-link" href="#main">
        Skip to the page
      </a>
      <Navigation path={pathname} />
      <Notifier />
      <main id="main" ref={main} tabIndex={-1}>
        <ErrorBoundary key={page}>
          <Suspense fallback={<Spinner label="Loading the page" />}>
            {found === undefined ? (
              <EmptyState title="This page does not exist" icon="search">
                <p>
                  Nothing is at <code>{pathname}</code>. <Link href="/runs">See the runs</Link>
                </p>
              </EmptyState>
            ) : (
              <found.route.Page params={found.params} />
            )}
          </Suspense>
        </ErrorBoundary>
      </main>
    </div>
  );
}
