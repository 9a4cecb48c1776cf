import { ProblemError } from '@signalbox/client';
import type { ReactNode } from 'react';
import { MAX_OPEN_ITEMS, useOpenItems } from '../inbox/open-items.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import { Link } from './link.tsx';
import { useSession } from './session.tsx';
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

/** Links to the sections, the number of open inbox items, and the settings of the browser. */
export function Navigation({ path }: { readonly path: string }): ReactNode {
  const { data, failureReason } = useOpenItems();
  const open = data?.items.length ?? 0;
  const isUnreachable = failureReason !== null && !(failureReason instanceof ProblemError);
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
                    {data?.hasMore === true ? `${MAX_OPEN_ITEMS}+` : open}
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
