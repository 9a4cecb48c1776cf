import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useAgentChoices } from '../app/choices.ts';
import { useQueryParam } from '../app/router.ts';
import { printable } from '../ui/printable.ts';
import { STATUS_GROUPS } from './run-filter.ts';

/** Milliseconds after the last key until a search begins. */
const TYPING_MS = 250;
/** Characters of a search that the service accepts. */
const MAX_SEARCH = 500;

/** State, agent and search of the list of runs. The address has them, so that a list can be shared. */
export function RunFilters(): ReactNode {
  const [group, setGroup] = useQueryParam('status');
  return (
    <search className="run-filters">
      <SearchBox />
      <AgentSelect />
      <div className="segments" role="group" aria-label="Status">
        {STATUS_GROUPS.map(({ id, label }) => (
          <button key={id} type="button" aria-pressed={group === id} onClick={() => setGroup(id)}>
            {label}
          </button>
        ))}
      </div>
    </search>
  );
}

function SearchBox(): ReactNode {
  const [search, setSearch] = useQueryParam('q');
  const [text, setText] = useState(search);
  const searched = useRef(search);
  // A link or the way back changes the search, too.
  useEffect(() => {
    if (search === searched.current) return;
    searched.current = search;
    setText(search);
  }, [search]);
  useEffect(() => {
    if (text === searched.current) return;
    const timer = setTimeout(() => {
      searched.current = text;
      setSearch(text);
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, setSearch]);
  return (
    <input
      type="search"
      aria-label="Search runs"
      placeholder="Search runs, or team=support"
      maxLength={MAX_SEARCH}
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  );
}

function AgentSelect(): ReactNode {
  const [agent, setAgent] = useQueryParam('agent');
  const agents = useAgentChoices();
  if (agents === undefined || (agents.length === 0 && agent === '')) return null;
  const isStored = agent === '' || agents.some(({ id }) => id === agent);
  return (
    <select aria-label="Agent" value={agent} onChange={(event) => setAgent(event.target.value)}>
      <option value="">Every agent</option>
      {!isStored && <option value={agent}>{agent} (deleted)</option>}
      {agents.map(({ id, name }) => (
        <option key={id} value={id}>
          {printable(name)}
        </option>
      ))}
    </select>
  );
}
