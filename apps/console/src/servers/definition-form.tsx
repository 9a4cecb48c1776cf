import { ProblemError } from '@signalbox/client';
import { useId, type ReactNode } from 'react';
import { printable } from '../ui/printable.ts';
import { SelectField } from '../ui/select-field.tsx';
import { TextField } from '../ui/text-field.tsx';
import type { DefinitionDraft } from './definition-draft.ts';
import type { Editing } from './definition-store.ts';
import { PairFields } from './pair-fields.tsx';

interface DefinitionFormProps {
  readonly draft: DefinitionDraft;
  readonly onChange: (draft: DefinitionDraft) => void;
  readonly editing: Editing;
  /** Error of the last attempt to save. Its fields are shown at the inputs. */
  readonly error: Error | null;
}

const KINDS = [
  { value: 'remote', label: 'A server at an address' },
  { value: 'command', label: 'A program that the service starts' },
];

const TRANSPORTS = [
  { value: '', label: 'Automatic' },
  { value: 'http', label: 'Streamable HTTP' },
  { value: 'sse', label: 'HTTP with SSE (2024-11-05)' },
];

const POLICIES = [
  { value: 'default', label: 'Read-only tools of a trusted server run, others ask' },
  { value: 'auto', label: 'All tools run' },
  { value: 'ask', label: 'All tools ask' },
  { value: 'deny', label: 'No tool runs' },
];

/** The fields of the definition of a server. */
export function DefinitionForm({
  draft,
  onChange,
  editing,
  error,
}: DefinitionFormProps): ReactNode {
  const id = useId();
  const set = (change: Partial<DefinitionDraft>): void => onChange({ ...draft, ...change });
  const problem = (...paths: readonly string[]): string | undefined => fieldProblem(error, paths);
  return (
    <>
      <section className="card" aria-labelledby={`${id}-reached`}>
        <h2 id={`${id}-reached`}>Connection</h2>
        {editing === 'all' && (
          <SelectField
            label="Kind"
            value={draft.kind}
            choices={KINDS}
            onChange={(kind) => set({ kind: kind === 'command' ? 'command' : 'remote' })}
          />
        )}
        {draft.kind === 'remote' ? (
          <>
            <TextField
              label="Address"
              type="url"
              value={draft.url}
              isRequired
              hint="http or https, such as https://mcp.example.com/mcp"
              error={problem('/body/url')}
              onChange={(url) => set({ url })}
            />
            <SelectField
              label="Transport"
              value={draft.type}
              choices={TRANSPORTS}
              error={problem('/body/type')}
              onChange={(type) => set({ type: type === 'http' || type === 'sse' ? type : '' })}
            />
            <PairFields
              title="Headers"
              entry="header"
              pairs={draft.headers}
              problemOf={(name) => problem(`/body/headers/${pointerPart(name)}`)}
              error={exactProblem(error, '/body/headers')}
              onChange={(headers) => set({ headers })}
            />
          </>
        ) : (
          <>
            <TextField
              label="Command"
              value={draft.command}
              isRequired
              hint="A program on the machine of the service, such as npx, which runs with the rights of the service"
              error={problem('/body/command')}
              onChange={(command) => set({ command })}
            />
            <TextField
              label="Arguments"
              type="multiline"
              value={draft.args}
              hint="One a line. *** keeps a stored secret"
              error={problem('/body/args')}
              onChange={(args) => set({ args })}
            />
            <PairFields
              title="Environment"
              entry="variable"
              pairs={draft.env}
              problemOf={(name) => problem(`/body/env/${pointerPart(name)}`)}
              error={undefined}
              onChange={(env) => set({ env })}
            />
            <TextField
              label="Working directory"
              value={draft.cwd}
              error={problem('/body/cwd')}
              onChange={(cwd) => set({ cwd })}
            />
          </>
        )}
      </section>
      <section className="card" aria-labelledby={`${id}-rules`}>
        <h2 id={`${id}-rules`}>Rules</h2>
        <label className="check">
          <input
            type="checkbox"
            checked={draft.isTrusted}
            onChange={(event) => set({ isTrusted: event.target.checked })}
          />
          <span>
            Trust the server <span className="faint">what it says about its tools is believed</span>
          </span>
        </label>
        <SelectField
          label="Approval"
          value={draft.approval}
          choices={POLICIES}
          error={problem('/body/signalbox/approval')}
          onChange={(approval) => set({ approval })}
        />
        <div className="field-columns">
          <TextField
            label="Allowed tools"
            type="multiline"
            value={draft.allow}
            hint="Patterns, one a line; * matches any characters. Empty: all"
            error={problem('/body/signalbox/allow')}
            onChange={(allow) => set({ allow })}
          />
          <TextField
            label="Denied tools"
            type="multiline"
            value={draft.deny}
            hint="Patterns, one a line"
            error={problem('/body/signalbox/deny')}
            onChange={(deny) => set({ deny })}
          />
        </div>
        <TextField
          label="Roots"
          type="multiline"
          value={draft.roots}
          hint="Folders that are announced to the server, one a line"
          error={problem('/body/signalbox/roots')}
          onChange={(roots) => set({ roots })}
        />
        <TextField
          label="Further settings"
          type="multiline"
          value={draft.further}
          hint='As in signalbox.json, such as {"signalbox": {"callsPerMinute": 60}}'
          error={
            error instanceof SyntaxError
              ? `Not a JSON object: ${error.message}`
              : problem('/body/signalbox', '/body/envFile')
          }
          onChange={(further) => set({ further })}
        />
      </section>
    </>
  );
}

/** Returns the problem of a field or of one of its parts. */
function fieldProblem(error: Error | null, paths: readonly string[]): string | undefined {
  if (!(error instanceof ProblemError)) return undefined;
  const found = error.fields.find((field) =>
    paths.some((path) => field.path === path || field.path.startsWith(`${path}/`)),
  );
  return found === undefined ? undefined : printable(found.message);
}

function exactProblem(error: Error | null, path: string): string | undefined {
  if (!(error instanceof ProblemError)) return undefined;
  const found = error.fields.find((field) => field.path === path);
  return found === undefined ? undefined : printable(found.message);
}

/** Escapes a name for a JSON pointer. @see https://www.rfc-editor.org/rfc/rfc6901 */
function pointerPart(name: string): string {
  return name.trim().replaceAll('~', '~0').replaceAll('/', '~1');
}
