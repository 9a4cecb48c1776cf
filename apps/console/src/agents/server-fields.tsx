import { useId, type ReactNode } from 'react';
import { useServerChoices } from '../app/choices.ts';
import { FieldNotes } from '../ui/text-field.tsx';
import { printable } from '../ui/printable.ts';

interface ServerFieldsProps {
  /** Names of the servers; empty: every server. */
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  readonly error?: string | undefined;
}

/** The choice of MCP servers. A chosen server that is no longer configured stays in the list until it is deselected. */
export function ServerFields({ chosen, onChange, error }: ServerFieldsProps): ReactNode {
  const id = useId();
  const loaded = useServerChoices();
  const servers = loaded ?? [];
  const known = servers.map(({ name }) => name);
  const unknown = loaded === undefined ? [] : chosen.filter((name) => !known.includes(name));
  if (servers.length + unknown.length === 0) return null;
  const toggle = (name: string): void =>
    onChange(chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name]);
  return (
    <fieldset className="field" aria-describedby={`${id}-hint`}>
      <legend>Servers</legend>
      <div className="check-list">
        {servers.map(({ name, tool_count }) => (
          <Check
            key={name}
            name={name}
            note={`${tool_count} tools`}
            isChosen={chosen.includes(name)}
            onToggle={toggle}
          />
        ))}
        {unknown.map((name) => (
          <Check key={name} name={name} note="not configured" isChosen onToggle={toggle} />
        ))}
      </div>
      <FieldNotes
        id={`${id}-hint`}
        hint={chosen.length === 0 ? 'None chosen: runs may use all of them.' : undefined}
        error={error}
      />
    </fieldset>
  );
}

interface CheckProps {
  readonly name: string;
  readonly note: string;
  readonly isChosen: boolean;
  readonly onToggle: (name: string) => void;
}

function Check({ name, note, isChosen, onToggle }: CheckProps): ReactNode {
  return (
    <label className="check">
      <input type="checkbox" checked={isChosen} onChange={() => onToggle(name)} />
      <span>
        {printable(name)} <span className="faint">{note}</span>
      </span>
    </label>
  );
}
