import { useId, useState, type ReactNode } from 'react';
import { Button } from '../button.tsx';
import { printable } from '../printable.ts';
import { SelectField } from '../select-field.tsx';
import { FieldNotes } from '../text-field.tsx';
import { fieldKind, isRecord, resolve, titleOf, type JsonSchema } from './field-kind.ts';
import { describeLimits, inputLimits } from './input-limits.ts';
import {
  BooleanField,
  ChoiceBoxes,
  isSame,
  NumberField,
  TextInputField,
  type LabelledProps,
} from './input-fields.tsx';
import { JsonField } from './json-field.tsx';
import type { FieldErrors, FormValue } from './form-value.ts';

/** A place in a form. */
interface FieldPlace {
  readonly schema: JsonSchema;
  /** Schema of the form. */
  readonly root: JsonSchema;
  readonly pointer: string;
  /** Objects and lists above it. */
  readonly level: number;
}

interface ObjectFieldsProps {
  readonly field: FieldPlace;
  readonly value: FormValue;
  readonly onChange: (value: FormValue) => void;
  readonly errors: FieldErrors;
}

/** The fields of the properties of an object. */
export function ObjectFields({ field, value, onChange, errors }: ObjectFieldsProps): ReactNode {
  const kind = fieldKind(field.schema, field.root, field.level);
  if (kind.kind !== 'object') return null;
  return kind.properties.map(({ name, schema, isRequired }) => (
    <SchemaField
      key={name}
      label={titleOf(resolve(schema, field.root)) ?? name}
      isRequired={isRequired}
      field={{
        schema,
        root: field.root,
        pointer: `${field.pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
        level: field.level + 1,
      }}
      value={value[name]}
      onChange={(next) => onChange(withProperty(value, name, next))}
      errors={errors}
    />
  ));
}

interface SchemaFieldProps {
  readonly label: string;
  readonly isRequired: boolean;
  readonly field: FieldPlace;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly errors: FieldErrors;
}

function SchemaField(props: SchemaFieldProps): ReactNode {
  const { field, value, onChange, isRequired } = props;
  const schema = resolve(field.schema, field.root);
  const kind = fieldKind(field.schema, field.root, field.level);
  const shared = {
    label: printable(props.label),
    hint: hintOf(schema),
    error: props.errors[field.pointer],
    isRequired,
  };
  switch (kind.kind) {
    case 'text':
      return (
        <TextInputField
          {...shared}
          input={kind.input}
          limits={inputLimits(schema, { isInteger: false })}
          value={value}
          onChange={onChange}
        />
      );
    case 'number':
      return (
        <NumberField
          {...shared}
          limits={inputLimits(schema, kind)}
          value={value}
          onChange={onChange}
        />
      );
    case 'boolean':
      return <BooleanField {...shared} value={value} onChange={onChange} />;
    case 'choice': {
      const chosen = kind.choices.findIndex((choice) => isSame(choice.value, value));
      return (
        <SelectField
          {...shared}
          value={chosen < 0 ? '' : String(chosen)}
          choices={[
            { value: '', label: isRequired ? 'Choose…' : 'Not set' },
            ...kind.choices.map(({ label }, index) => ({
              value: String(index),
              label: printable(label),
            })),
          ]}
          onChange={(index) =>
            onChange(index === '' ? undefined : kind.choices[Number(index)]?.value)
          }
        />
      );
    }
    case 'choices':
      return (
        <Group {...shared}>
          <ChoiceBoxes
            choices={kind.choices}
            value={Array.isArray(value) ? value : []}
            onChange={(next) => onChange(next.length === 0 && !isRequired ? undefined : next)}
          />
        </Group>
      );
    case 'object':
      return (
        <Group {...shared}>
          <ObjectFields
            field={field}
            value={isRecord(value) ? value : {}}
            onChange={(next) => onChange(Object.keys(next).length === 0 ? undefined : next)}
            errors={props.errors}
          />
        </Group>
      );
    case 'list':
      return (
        <Group {...shared}>
          <ListFields {...props} items={kind.items} value={Array.isArray(value) ? value : []} />
        </Group>
      );
    case 'json':
      return <JsonField {...shared} value={value} onChange={onChange} />;
  }
}

function Group({
  label,
  hint,
  error,
  isRequired,
  children,
}: LabelledProps & { readonly children: ReactNode }): ReactNode {
  const id = useId();
  return (
    <fieldset className="field" aria-describedby={`${id}-hint`}>
      <legend>
        {label}
        {isRequired && <span className="required"> (required)</span>}
      </legend>
      <FieldNotes id={`${id}-hint`} hint={hint} error={error} />
      <div className="schema-group">{children}</div>
    </fieldset>
  );
}

interface ListFieldsProps extends SchemaFieldProps {
  readonly items: JsonSchema;
  readonly value: readonly unknown[];
}

function ListFields({ field, items, value, onChange, errors, label }: ListFieldsProps): ReactNode {
  const [keys, setKeys] = useState<readonly number[]>(() => value.map((_item, index) => index));
  const set = (next: readonly unknown[]): void => onChange(next.length === 0 ? undefined : next);
  return (
    <>
      {value.map((item, index) => (
        <div className="schema-item" key={keys[index] ?? `new-${index}`}>
          <SchemaField
            label={`${label} ${index + 1}`}
            isRequired
            field={{
              schema: items,
              root: field.root,
              pointer: `${field.pointer}/${index}`,
              level: field.level + 1,
            }}
            value={item}
            onChange={(next) => set(value.with(index, next ?? emptyItem(items, field.root)))}
            errors={errors}
          />
          <Button
            kind="quiet"
            icon="close"
            label={`Remove ${label} ${index + 1}`}
            onClick={() => {
              setKeys(keys.filter((_key, place) => place !== index));
              set(value.filter((_item, place) => place !== index));
            }}
          >
            {null}
          </Button>
        </div>
      ))}
      <div>
        <Button
          icon="plus"
          onClick={() => {
            setKeys([...keys, Math.max(-1, ...keys) + 1]);
            set([...value, emptyItem(items, field.root)]);
          }}
        >
          Add
        </Button>
      </div>
    </>
  );
}

/** Returns the value of an item that the person has not filled in. */
function emptyItem(schema: JsonSchema, root: JsonSchema): unknown {
  switch (fieldKind(schema, root).kind) {
    case 'text':
      return '';
    case 'boolean':
      return false;
    case 'object':
      return {};
    case 'list':
      return [];
    default:
      return null;
  }
}

function withProperty(object: FormValue, name: string, value: unknown): FormValue {
  const { [name]: _old, ...rest } = object;
  return value === undefined ? rest : { ...rest, [name]: value };
}

/** Returns the description of a schema, with its limits and its default. */
function hintOf(schema: JsonSchema): string | undefined {
  const { description, default: preset } = schema;
  const limits = describeLimits(schema);
  const parts = [
    ...(typeof description === 'string' ? [printable(description)] : []),
    ...(limits === undefined ? [] : [limits]),
    ...(preset === undefined ? [] : [`Default: ${printable(JSON.stringify(preset))}`]),
  ];
  return parts.length === 0 ? undefined : parts.join(' · ');
}
