import { useId, type KeyboardEvent, type ReactNode } from 'react';

/** A tab and its panel. */
export interface Tab {
  readonly id: string;
  readonly label: string;
  /** Number beside the label. */
  readonly count?: number | undefined;
}

interface TabsProps {
  /** Name for screen readers. */
  readonly label: string;
  readonly tabs: readonly Tab[];
  /** Id of the chosen tab. */
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
  /** Panel of the chosen tab. */
  readonly children: ReactNode;
}

/** Distance of the next tab by key. */
const STEPS: { readonly [key: string]: number } = { ArrowRight: 1, ArrowLeft: -1 };

/** Tabs with one panel. Arrow keys, Home and End choose a tab. @see https://www.w3.org/WAI/ARIA/apg/patterns/tabs/ */
export function Tabs({ label, tabs, chosen, onChoose, children }: TabsProps): ReactNode {
  const prefix = useId();
  const chosenPlace = tabs.findIndex(({ id }) => id === chosen);
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    const step = STEPS[event.key];
    const place =
      event.key === 'Home'
        ? 0
        : event.key === 'End'
          ? tabs.length - 1
          : step === undefined
            ? undefined
            : (chosenPlace + step + tabs.length) % tabs.length;
    const next = place === undefined ? undefined : tabs[place];
    if (next === undefined) return;
    event.preventDefault();
    onChoose(next.id);
    document.querySelector<HTMLElement>(`#${CSS.escape(`${prefix}-${next.id}`)}`)?.focus();
  };
  return (
    <>
      <div className="tabs" role="tablist" tabIndex={-1} aria-label={label} onKeyDown={onKeyDown}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            id={`${prefix}-${tab.id}`}
            type="button"
            role="tab"
            aria-selected={tab.id === chosen}
            aria-controls={tab.id === chosen ? `${prefix}-panel` : undefined}
            tabIndex={tab.id === chosen ? 0 : -1}
            onClick={() => onChoose(tab.id)}
          >
            {tab.label}
            {tab.count !== undefined && <span className="tab-count">{tab.count}</span>}
          </button>
        ))}
      </div>
      <div
        className="tab-panel"
        id={`${prefix}-panel`}
        role="tabpanel"
        aria-labelledby={`${prefix}-${chosen}`}
      >
        {children}
      </div>
    </>
  );
}
