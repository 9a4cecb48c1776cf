import type { NewRun } from '@signalbox/client';
import { useState, type ReactNode } from 'react';
import { ServerFields } from '../agents/server-fields.tsx';
import { useAgentChoices, useModelChoices } from '../app/choices.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { printable } from '../ui/printable.ts';
import { SelectField } from '../ui/select-field.tsx';

/** Choices of a person for the next runs of a conversation. Empty: the default. */
export interface RunChoices {
  readonly agentId: string;
  readonly model: string;
  readonly servers: readonly string[];
}

export const NO_OPTIONS: RunChoices = { agentId: '', model: '', servers: [] };

/** Returns the fields of a new run for the choices. */
export function optionsOf({ agentId, model, servers }: RunChoices): Partial<NewRun> {
  return {
    ...(agentId !== '' && { agent_id: agentId }),
    ...(model !== '' && { model }),
    ...(servers.length > 0 && { servers: [...servers] }),
  };
}

interface ComposerOptionsProps {
  readonly choices: RunChoices;
  readonly onChange: (choices: RunChoices) => void;
}

/** A button that names the choices and opens their dialog. */
export function ComposerOptions({ choices, onChange }: ComposerOptionsProps): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  const stored = useAgentChoices();
  const agents = stored ?? [];
  const models = useModelChoices() ?? [];
  const agent = agents.find(({ id }) => id === choices.agentId);
  const unknownAgent =
    stored === undefined || choices.agentId === '' ? undefined : 'An agent that does not exist';
  const summary = [
    agent === undefined ? unknownAgent : printable(agent.name),
    choices.model === '' ? undefined : printable(choices.model),
    choices.servers.length === 0 ? undefined : choices.servers.map(printable).join(', '),
  ].filter((part) => part !== undefined);
  return (
    <>
      <Button icon="agents" onClick={() => setIsOpen(true)}>
        <span className="composer-choices">
          {summary.length === 0 ? 'Agent and servers' : summary.join(' · ')}
        </span>
      </Button>
      {isOpen && (
        <Dialog
          title="Agent, model and servers"
          onClose={() => setIsOpen(false)}
          actions={
            <Button kind="primary" onClick={() => setIsOpen(false)}>
              Done
            </Button>
          }
        >
          <SelectField
            label="Agent"
            value={choices.agentId}
            choices={[
              { value: '', label: 'None' },
              ...agents.map(({ id, name }) => ({ value: id, label: printable(name) })),
            ]}
            hint={agents.length === 0 ? 'None is stored. The page Agents creates them.' : undefined}
            onChange={(agentId) => onChange({ ...choices, agentId })}
          />
          <SelectField
            label="Model"
            value={choices.model}
            choices={[
              {
                value: '',
                label: agent?.model === undefined ? 'The configured one' : 'That of the agent',
              },
              ...models.map(({ id }) => ({ value: id, label: printable(id) })),
            ]}
            hint={models.length === 0 ? 'No model is configured: scripts answer.' : undefined}
            onChange={(model) => onChange({ ...choices, model })}
          />
          <ServerFields
            chosen={choices.servers}
            onChange={(servers) => onChange({ ...choices, servers })}
          />
        </Dialog>
      )}
    </>
  );
}
