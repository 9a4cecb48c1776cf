import { useState, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { printable } from './printable.ts';

/** Entries of an object or list that are shown at once. */
const PAGE = 100;
/** Characters of a string that are shown at once. */
const MAX_STRING = 500;

interface JsonTreeProps {
  readonly value: unknown;
  /** Levels that are open at first. Default: 2. */
  readonly openLevels?: number;
}

/** A JSON value as a tree. Objects and lists are opened one by one, and long ones are shown in pages. */
export function JsonTree({ value, openLevels = 2 }: JsonTreeProps): ReactNode {
  return (
    <div className="json-tree">
      <Node value={value} openLevels={openLevels} />
    </div>
  );
}

interface NodeProps {
  readonly name?: string | number;
  readonly value: unknown;
  readonly openLevels: number;
}

function Node({ name, value, openLevels }: NodeProps): ReactNode {
  return isContainer(value) && sizeOf(value) > 0 ? (
    <Branch {...(name === undefined ? {} : { name })} value={value} openLevels={openLevels} />
  ) : (
    <div className="json-leaf">
      <Name name={name} />
      <Leaf value={value} />
    </div>
  );
}

type Container = readonly unknown[] | { readonly [name: string]: unknown };

interface BranchProps extends NodeProps {
  readonly value: Container;
}

function Branch({ name, value, openLevels }: BranchProps): ReactNode {
  const [isOpen, setIsOpen] = useState(openLevels > 0);
  const [shown, setShown] = useState(PAGE);
  const size = sizeOf(value);
  const isList = Array.isArray(value);
  return (
    <details open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        <Name name={name} />
        <span className="json-size">
          {isList ? `[${size} ${size === 1 ? 'item' : 'items'}]` : `{${keysOf(value)}}`}
        </span>
      </summary>
      {isOpen && (
        <div className="json-children">
          {entriesOf(value)
            .slice(0, shown)
            .map(([key, child]) => (
              <Node key={key} name={key} value={child} openLevels={openLevels - 1} />
            ))}
          {size > shown && (
            <Button kind="quiet" onClick={() => setShown(shown + PAGE)}>
              {`Show ${Math.min(PAGE, size - shown)} more of ${size}`}
            </Button>
          )}
        </div>
      )}
    </details>
  );
}

function Name({ name }: { readonly name: string | number | undefined }): ReactNode {
  if (name === undefined) return null;
  return (
    <>
      <bdi className="json-name">{typeof name === 'number' ? name : printable(name)}</bdi>
      <span aria-hidden="true">: </span>
    </>
  );
}

function Leaf({ value }: { readonly value: unknown }): ReactNode {
  const [isWhole, setIsWhole] = useState(false);
  if (typeof value !== 'string')
    return (
      <span className={`json-${value === null ? 'null' : typeof value}`}>{textOf(value)}</span>
    );
  const isLong = value.length > MAX_STRING;
  return (
    <>
      <bdi className="json-string">
        {printable(isLong && !isWhole ? `${value.slice(0, MAX_STRING)}…` : value)}
      </bdi>
      {isLong && (
        <Button kind="quiet" onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? 'Show less' : `Show all ${value.length} characters`}
        </Button>
      )}
    </>
  );
}

function textOf(value: unknown): string {
  if (isContainer(value)) return Array.isArray(value) ? '[]' : '{}';
  return String(value);
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

function sizeOf(value: Container): number {
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

function entriesOf(value: Container): readonly (readonly [string | number, unknown])[] {
  return Array.isArray(value) ? value.map((child, index) => [index, child]) : Object.entries(value);
}

/** Returns the first names of an object, as a preview. */
function keysOf(value: Container): string {
  const names = Object.keys(value);
  const preview = names.slice(0, 4).map((name) => printable(name.slice(0, 24)));
  return preview.join(', ') + (names.length > preview.length ? ', …' : '');
}
