import { useQuery } from '@tanstack/react-query';
import { ProblemError, unwrap } from '@signalbox/client';
import type { ReactNode } from 'react';
import { Icon, type IconName } from '../ui/icon.tsx';
import { Link } from './link.tsx';
import { useClient, useSession } from './session.tsx';
import { chooseTheme, useTheme, type Theme } from './theme.ts';

const SECTIONS: readonly {
  readonly path: string;
  readonly label: string;
  readonly icon: IconName;
}[] = [
  { path: '/overview', label: 'Overview', icon: 'overview' },
  { path: '/runs', label: 'Runs', icon: 'runs' },
  { path: '/inbox', label: 'Inbox', icon: 'inbox' },
  { path: '/servers', label: 'Servers', icon: 'servers' },
  { path: '/threads', label: 'Threads', icon: 'threads' },
  { path: '/agents', label: 'Agents', icon: 'agents' },
];

/** Largest number of open items that is counted. */
const MAX_COUNT = 99;
/** Milliseconds between requests for the number. */
const REFRESH_MS = 3000;

/** Links to the sections, the number of open inbox items, and the settings of the browser. */
export function Navigation({ path }: { readonly path: string }): ReactNode {
  const { open, isUnreachable } = useOpenItems();
  const isAt = (section: string): boolean =>
    path === section || path.startsWith(`${section}/`) || (path === '/' && section === '/overview');
  return (
    <header className="navigation">
      <Link className="brand" href="/overview">
        <Icon name="signal" />
        <span>Signalbox</span>
      </Link>
      <nav aria-label="Sections">
        <ul>
          {SECTIONS.map(({ path: section, label, icon }) => (
            <li key={section}>
              <Link href={section} aria-current={isAt(section) ? 'page' : undefined}>
                <Icon name={icon} />
                <span>{label}</span>
                {section === '/inbox' && open > 0 && (
                  <span className="count">
                    {open > MAX_COUNT ? `${MAX_COUNT}+` : open}
                    <span className="visually-hidden"> open</span>
                  </span>
                )}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <Settings />
      <div className="connection" role="status">
        {isUnreachable && (
          <>
            <Icon name="alert" /> The service does not answer. This page tries again by itself.
          </>
        )}
      </div>
    </header>
  );
}

function Settings(): ReactNode {
  const theme = useTheme();
  const { apiKey, signIn } = useSession();
  return (
    <div className="settings">
      <label>
        <span className="visually-hidden">Theme</span>
        <select value={theme} onChange={(event) => chooseTheme(event.target.value as Theme)}>
          <option value="auto">Theme: auto</option>
          <option value="light">Theme: light</option>
          <option value="dark">Theme: dark</option>
        </select>
      </label>
      {apiKey !== undefined && (
        <button type="button" className="button quiet" onClick={() => signIn(undefined)}>
          Sign out
        </button>
      )}
    </div>
  );
}

/** Returns the number of open items, and whether the last request for it reached nobody. */
function useOpenItems(): { readonly open: number; readonly isUnreachable: boolean } {
  const { api } = useClient();
  const { data, failureReason } = useQuery({
    queryKey: ['inbox', 'open-count'],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/v1/inbox', {
          params: { query: { state: 'open', limit: MAX_COUNT + 1 } },
          signal,
        }),
      ),
    refetchInterval: REFRESH_MS,
    retry: false,
  });
  return {
    open: data?.data.length ?? 0,
    isUnreachable: failureReason !== null && !(failureReason instanceof ProblemError),
  };
}
