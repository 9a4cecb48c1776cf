import type { ReactNode } from 'react';
import { useAgentChoices, useModelChoices, useServerChoices } from '../app/choices.ts';
import { printable } from '../ui/printable.ts';
import { SelectField } from '../ui/select-field.tsx';
import { TextField } from '../ui/text-field.tsx';
import type { RunDraft } from './run-draft.ts';

interface RunOptionsProps {
  readonly draft: RunDraft;
  readonly onChange: (draft: RunDraft) => void;
}

/** Agent, model, servers, limits and metadata of a new run. */
export function RunOptions({ draft, onChange }: RunOptionsProps): ReactNode {
  const stored = useAgentChoices();
  const agents = stored ?? [];
  const models = useModelChoices() ?? [];
  const set = (change: Partial<RunDraft>): void => onChange({ ...draft, ...change });
  return (
    <>
      <div className="option-row">
        {(agents.length > 0 || (stored !== undefined && draft.agentId !== '')) && (
          <SelectField
            label="Agent"
            value={draft.agentId}
            choices={[
              { value: '', label: 'None' },
              ...agents.map(({ id, name }) => ({ value: id, label: printable(name) })),
            ]}
            onChange={(agentId) => set({ agentId, agentVersion: '' })}
          />
        )}
        {draft.agentId !== '' && (
          <TextField
            label="Version"
            type="number"
            value={draft.agentVersion}
            limits={{ min: 1, step: 1 }}
            hint="Default: the current one of the agent"
            onChange={(agentVersion) => set({ agentVersion })}
          />
        )}
        {models.length > 0 && (
          <SelectField
            label="Model"
            value={draft.model}
            choices={[
              {
                value: '',
                label: draft.agentId === '' ? 'The configured model' : 'That of the agent',
              },
              ...models.map(({ id }) => ({ value: id, label: id })),
            ]}
            onChange={(model) => set({ model })}
          />
        )}
      </div>
      <ServerChoice draft={draft} onChange={onChange} />
      <details className="more-options">
        <summary>Instructions, limits and metadata</summary>
        <div className="option-grid">
          <TextField
            label="Instructions"
            type="multiline"
            value={draft.instructions}
            onChange={(instructions) => set({ instructions })}
            hint="Added to the instructions of every run"
          />
          <TextField
            label="Metadata"
            type="multiline"
            value={draft.metadata}
            onChange={(metadata) => set({ metadata })}
            hint="One entry a line, such as team=support"
          />
        </div>
        <div className="option-row">
          <TextField
            label="Turns"
            type="number"
            value={draft.turns}
            hint="Default: 50"
            onChange={(turns) => set({ turns })}
          />
          <TextField
            label="Duration in minutes"
            type="number"
            value={draft.minutes}
            hint="Default: 240"
            onChange={(minutes) => set({ minutes })}
          />
          <TextField
            label="US dollars"
            type="number"
            value={draft.costUsd}
            hint="Default: no limit"
            onChange={(costUsd) => set({ costUsd })}
          />
          <SelectField
            label="Priority"
            value={draft.priority}
            choices={[
              { value: '', label: 'Normal' },
              { value: 'high', label: 'High' },
              { value: 'low', label: 'Low' },
            ]}
            onChange={(priority) => set({ priority })}
          />
        </div>
      </details>
    </>
  );
}

function ServerChoice({ draft, onChange }: RunOptionsProps): ReactNode {
  const servers = useServerChoices() ?? [];
  if (servers.length === 0) return null;
  const toggle = (name: string): void => {
    const next = draft.servers.includes(name)
      ? draft.servers.filter((each) => each !== name)
      : [...draft.servers, name];
    onChange({ ...draft, servers: next });
  };
  return (
    <fieldset className="field">
      <legend>Servers</legend>
      <div className="server-choice">
        {servers.map(({ name, tool_count }) => (
          <label key={name} className="check">
            <input
              type="checkbox"
              checked={draft.servers.includes(name)}
              onChange={() => toggle(name)}
            />
            <span>
              {name} <span className="faint">{tool_count} tools</span>
            </span>
          </label>
        ))}
      </div>
      <div className="field-notes">
        {draft.servers.length === 0
          ? 'None chosen: the run may use all of them.'
          : 'The run may use only these.'}
      </div>
    </fieldset>
  );
}
