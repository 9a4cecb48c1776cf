import type { ReactNode } from 'react';

const PATHS = {
  agents:
    'M12 3v3M6 9h12a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2v-7a2 2 0 0 1 2-2zM9 13v2M15 13v2',
  alert: 'M12 4 2.5 20h19zM12 10v4M12 17h.01',
  approve: 'M12 3 5 6v5c0 5 3 8 7 10 4-2 7-5 7-10V6zM9 12l2 2 4-4',
  cancel: 'M6 6h12v12H6z',
  check: 'M5 12.5 10 17 19 7',
  chevron: 'M9 6l6 6-6 6',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3 2',
  close: 'M6 6l12 12M18 6 6 18',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  cost: 'M12 3v18M16 7c-1-1.3-2.5-2-4-2-2.2 0-4 1.2-4 3.2 0 4.800 8.300 2.2 8.300 7 0 2.100-2 3.300-4.300 3.300-1.800 0-3.5-.7-4.5-2.2',
  error: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM9 9l6 6M15 9l-6 6',
  fork: 'M7 4v16M7 12c7 0 10-1 10-6M17 6l-3 3M17 6l3 3M5 4h4',
  inbox: 'M4 13 7 5h10l3 8v6H4zM4 13h5l1 3h4l1-3h5',
  link: 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1',
  message: 'M4 5h16v11H9l-5 4z',
  overview: 'M4 20V10M10 20V4M16 20v-7M21 20H3',
  play: 'M8 5v14l11-7z',
  plus: 'M12 5v14M5 12h14',
  retry: 'M4 12a8 8 0 1 1 2.5 5.800M4 20v-5h5',
  runs: 'M5 6h.01M5 12h.01M5 18h.01M9 6h11M9 12h11M9 18h11',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.5 15.5 20 20',
  servers: 'M4 5h16v6H4zM4 13h16v6H4zM8 8h.01M8 16h.01',
  signal: 'M12 2.5a5 5 0 0 1 5 5v9a5 5 0 0 1-10 0v-9a5 5 0 0 1 5-5zM12 8h.01M12 16h.01',
  threads: 'M4 4h12v9H9l-5 3zM10 16h6l4 3V9h-2',
  tool: 'M14 6a4 4 0 0 0-5 5L4 16l4 4 5-5a4 4 0 0 0 5-5l-3 2-2-2z',
} as const;

/** Name of an icon. */
export type IconName = keyof typeof PATHS;

/** An icon in the color of the text. It is hidden from screen readers: the text beside it has the meaning. */
export function Icon({ name }: { readonly name: IconName }): ReactNode {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
