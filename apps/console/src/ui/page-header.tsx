import { useEffect, type ReactNode } from 'react';

interface PageHeaderProps {
  readonly title: string;
  /** Title of the tab. Default: `title`. */
  readonly tabTitle?: string;
  /** Buttons of the page. */
  readonly actions?: ReactNode;
  /** Text below the title. */
  readonly children?: ReactNode;
}

/** The heading of a page, which is also the title of the tab. */
export function PageHeader({
  title,
  tabTitle = title,
  actions,
  children,
}: PageHeaderProps): ReactNode {
  useEffect(() => {
    document.title = `${tabTitle} · Signalbox`;
  }, [tabTitle]);
  return (
    <div className="page-header">
      <div>
        <h1>{title}</h1>
        {children}
      </div>
      {actions !== undefined && <div className="actions">{actions}</div>}
    </div>
  );
}
