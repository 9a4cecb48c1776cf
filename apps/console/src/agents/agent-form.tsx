import { ProblemError, type Model } from '@signalbox/client';
import { useId, type ReactNode } from 'react';
import { useModelChoices } from '../app/choices.ts';
import { printable } from '../ui/printable.ts';
import { SelectField } from '../ui/select-field.tsx';
import { FieldNotes, TextField } from '../ui/text-field.tsx';
import { EFFORTS, LIMIT_FIELDS, TOOL_CHOICES, type AgentDraft } from './agent-draft.ts';
import { ServerFields } from './server-fields.tsx';
import { ToolRuleFields } from './tool-rule-fields.tsx';

interface AgentFormProps {
  readonly draft: AgentDraft;
  readonly onChange: (draft: AgentDraft) => void;
  /** Error of the last attempt to save. Its fields are shown at the inputs. */
  readonly error: Error | null;
}

/** The fields of an agent. */
export function AgentForm({ draft, onChange, error }: AgentFormProps): ReactNode {
  const models = useModelChoices() ?? [];
  const instructionsId = useId();
  const set = (change: Partial<AgentDraft>): void => onChange({ ...draft, ...change });
  const problem = (path: string): string | undefined => fieldProblem(error, path);
  const settings = models.find((model) => hasName(model, draft.model))?.settings;
  return (
    <>
      <section className="card" aria-labelledby={`${instructionsId}-heading`}>
        <h2 id={`${instructionsId}-heading`}>Task</h2>
        <TextField
          label="Name"
          value={draft.name}
          isRequired
          limits={{ maxLength: 200 }}
          onChange={(name) => set({ name })}
          error={problem('/body/name')}
        />
        <div className="field">
          <label htmlFor={instructionsId}>Instructions</label>
          <textarea
            id={instructionsId}
            rows={10}
            maxLength={100_000}
            value={draft.instructions}
            aria-invalid={problem('/body/instructions') !== undefined}
            aria-describedby={`${instructionsId}-hint`}
            onChange={(event) => set({ instructions: event.target.value })}
          />
          <FieldNotes
            id={`${instructionsId}-hint`}
            hint="The model reads them before every task, such as: Answer with numbers and name the table they come from."
            error={problem('/body/instructions')}
          />
        </div>
        <ServerFields
          chosen={draft.servers}
          onChange={(servers) => set({ servers })}
          error={problem('/body/servers')}
        />
      </section>
      <ToolRuleFields draft={draft} onChange={set} problem={problem} />
      <fieldset className="card">
        <legend>Model</legend>
        <div className="field-grid">
          <TextField
            label="Model"
            value={draft.model}
            suggestions={models.map(({ id }) => id)}
            hint="provider/model. Empty: the configured model"
            onChange={(model) => set({ model })}
            error={problem('/body/model')}
          />
          <TextField
            label="Temperature"
            type="number"
            value={draft.temperature}
            limits={{ min: 0, max: settings?.max_temperature ?? 2, step: 'any' }}
            hint={temperatureHint(settings)}
            onChange={(temperature) => set({ temperature })}
            error={problem('/body/temperature')}
          />
          <TextField
            label="Output tokens of a message"
            type="number"
            value={draft.maxTokens}
            limits={{ min: 1, step: 1 }}
            hint="Reasoning included. Default: the maximum of the model"
            onChange={(maxTokens) => set({ maxTokens })}
            error={problem('/body/max_tokens')}
          />
          <SelectField
            label="Reasoning effort"
            value={draft.effort}
            choices={choicesOf(EFFORTS, settings?.efforts)}
            onChange={(effort) => set({ effort })}
            error={problem('/body/effort')}
          />
          <SelectField
            label="Tool choice"
            value={draft.toolChoice}
            choices={choicesOf(TOOL_CHOICES, settings?.tool_choices)}
            hint="required: the first message must call a tool"
            onChange={(toolChoice) => set({ toolChoice })}
            error={problem('/body/tool_choice')}
          />
        </div>
      </fieldset>
      <fieldset className="card">
        <legend>Limits of a run</legend>
        <div className="field-grid">
          {LIMIT_FIELDS.map(({ name, label, hint }) => (
            <TextField
              key={name}
              label={label}
              type="number"
              value={draft.limits[name] ?? ''}
              limits={{ min: 0, step: 'any' }}
              hint={hint}
              onChange={(value) => set({ limits: { ...draft.limits, [name]: value } })}
              error={problem(`/body/limits/${name}`)}
            />
          ))}
        </div>
      </fieldset>
    </>
  );
}

function hasName(model: Model, name: string): boolean {
  if (name.trim() === '') return model.is_default;
  return model.id === name || model.model === name || model.aliases.includes(name);
}

/** Returns the problem of a field or of one of its parts. */
function fieldProblem(error: Error | null, path: string): string | undefined {
  if (!(error instanceof ProblemError)) return undefined;
  const found = error.fields.find(
    (field) => field.path === path || field.path.startsWith(`${path}/`),
  );
  return found === undefined ? undefined : printable(found.message);
}

function temperatureHint(settings: Model['settings'] | undefined): string {
  if (settings === undefined) return '0 to 2. Default: that of the model';
  const { max_temperature: max } = settings;
  return max === undefined
    ? 'This model takes no temperature'
    : `0 to ${max}. Default: that of the model`;
}

/** Returns the choices of a setting. Values that the model does not accept say so; the service rejects them. */
function choicesOf(values: readonly string[], accepted: readonly string[] | undefined) {
  return [
    { value: '', label: 'Default' },
    ...values.map((value) => ({
      value,
      label:
        accepted === undefined || accepted.includes(value) ? value : `${value} (not of this model)`,
    })),
  ];
}
