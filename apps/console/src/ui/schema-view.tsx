import type { ReactNode } from 'react';
import { JsonTree } from './json-tree.tsx';
import { PlainText } from './plain-text.tsx';
import {
  fieldKind,
  resolve,
  type FieldKind,
  type JsonSchema,
  type Property,
} from './schema-form/field-kind.ts';
import { describeLimits } from './schema-form/input-limits.ts';

interface SchemaViewProps {
  /** Schema of an object. */
  readonly schema: JsonSchema;
  /** Text where the object has no members. */
  readonly empty: string;
}

/** The members of an object by its JSON Schema: names, types, limits and descriptions. */
export function SchemaView({ schema, empty }: SchemaViewProps): ReactNode {
  const kind = fieldKind(schema, schema);
  return (
    <div className="schema-view">
      {kind.kind === 'object' && kind.properties.length > 0 ? (
        <Members properties={kind.properties} root={schema} level={1} />
      ) : (
        <p className="faint">{empty}</p>
      )}
      <details className="raw">
        <summary>JSON Schema</summary>
        <JsonTree value={schema} openLevels={1} />
      </details>
    </div>
  );
}

interface MembersProps {
  readonly properties: readonly Property[];
  readonly root: JsonSchema;
  readonly level: number;
}

function Members({ properties, root, level }: MembersProps): ReactNode {
  return (
    <ul className="schema-members">
      {properties.map(({ name, schema, isRequired }) => (
        <li key={name}>
          <Member name={name} schema={schema} isRequired={isRequired} root={root} level={level} />
        </li>
      ))}
    </ul>
  );
}

interface MemberProps extends Property {
  readonly root: JsonSchema;
  readonly level: number;
}

function Member({ name, schema, isRequired, root, level }: MemberProps): ReactNode {
  const resolved = resolve(schema, root);
  const kind = fieldKind(schema, root, level);
  const items = kind.kind === 'list' ? fieldKind(kind.items, root, level + 1) : undefined;
  const nested = items ?? kind;
  const { description, default: preset } = resolved;
  const limits = describeLimits(resolved);
  return (
    <>
      <p>
        <code className="schema-name">
          <PlainText text={name} />
        </code>{' '}
        <span className="faint">
          {typeText(kind, items)}
          {isRequired && ', required'}
          {limits !== undefined && `, ${limits}`}
        </span>
        {preset !== undefined && (
          <span className="faint">
            {' '}
            · default{' '}
            <code>
              <PlainText text={JSON.stringify(preset)} />
            </code>
          </span>
        )}
      </p>
      {typeof description === 'string' && (
        <p>
          <PlainText text={description} />
        </p>
      )}
      {(kind.kind === 'choice' || kind.kind === 'choices') && (
        <p className="faint">
          <PlainText text={kind.choices.map(({ label }) => label).join(' · ')} />
        </p>
      )}
      {nested.kind === 'object' && (
        <Members properties={nested.properties} root={root} level={level + 1} />
      )}
    </>
  );
}

function typeText(kind: FieldKind, items: FieldKind | undefined): string {
  switch (kind.kind) {
    case 'text':
      return kind.input === 'text' || kind.input === 'multiline' ? 'text' : `text, ${kind.input}`;
    case 'number':
      return kind.isInteger ? 'whole number' : 'number';
    case 'boolean':
      return 'yes or no';
    case 'choice':
      return 'one of';
    case 'choices':
      return 'some of';
    case 'object':
      return 'object';
    case 'list':
      return items === undefined ? 'list' : `list of ${typeText(items, undefined)}`;
    case 'json':
      return 'any value';
  }
}
