import { useEffect, useRef, type ReactNode } from 'react';
import { Link } from '../app/link.tsx';
import { useAddress } from '../app/router.ts';

/** An entry of a list of which one is shown beside it. */
export interface ChooseEntry {
  readonly id: string;
  readonly title: string;
  /** Text below the title, cut at its first line. */
  readonly text: string;
}

interface ChooseListProps {
  /** Name of the list for screen readers. */
  readonly label: string;
  /** Query parameter with the id of the chosen entry. */
  readonly param: string;
  readonly entries: readonly ChooseEntry[];
  /** Search field above the list. */
  readonly search?: ReactNode;
  /** Text in place of an entry while none is chosen. */
  readonly hint: string;
  /** The chosen entry. */
  readonly children: ReactNode;
}

/** A list of links and, beside it, the chosen entry; on a narrow screen one of both. */
export function ChooseList({
  label,
  param,
  entries,
  search,
  hint,
  children,
}: ChooseListProps): ReactNode {
  const address = useAddress();
  const chosen = address.searchParams.get(param) ?? '';
  const detail = useRef<HTMLDivElement>(null);
  const shown = useRef(chosen);

  // On a narrow screen the link that was followed disappears; the focus goes to what it opened.
  useEffect(() => {
    if (shown.current === chosen) return;
    shown.current = chosen;
    detail.current?.focus({ preventScroll: true });
  }, [chosen]);

  const hrefOf = (id: string): string => {
    const query = new URLSearchParams(address.searchParams);
    if (id === '') query.delete(param);
    else query.set(param, id);
    return `${address.pathname}?${query.toString()}`;
  };
  return (
    <div className={chosen === '' ? 'split' : 'split has-chosen'}>
      <div className="split-list">
        {search}
        <ul className="choose-list" aria-label={label}>
          {entries.map(({ id, title, text }) => (
            <li key={id}>
              <Link href={hrefOf(id)} aria-current={id === chosen ? 'true' : undefined}>
                <strong>
                  <bdi>{title}</bdi>
                </strong>
                <span className="faint">
                  <bdi>{text}</bdi>
                </span>
              </Link>
            </li>
          ))}
        </ul>
        {entries.length === 0 && <p className="faint">Nothing matches.</p>}
      </div>
      <div className="split-detail" ref={detail} tabIndex={-1}>
        {chosen === '' ? (
          <p className="split-hint">{hint}</p>
        ) : (
          <>
            <p className="split-back">
              <Link href={hrefOf('')}>Back to the list</Link>
            </p>
            {children}
          </>
        )}
      </div>
    </div>
  );
}
