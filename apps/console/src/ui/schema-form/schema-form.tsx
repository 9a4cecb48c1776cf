import { useState, type ReactNode } from 'react';
import { Button } from '../button.tsx';
import { isRecord, type JsonSchema } from './field-kind.ts';
import type { FieldErrors, FormValue } from './form-value.ts';
import { JsonField } from './json-field.tsx';
import { ObjectFields } from './schema-field.tsx';

interface SchemaFormProps {
  /** Schema of an object. */
  readonly schema: JsonSchema;
  readonly value: FormValue;
  readonly onChange: (value: FormValue) => void;
  readonly errors?: FieldErrors;
}

/**
 * The fields of a form for an object, made from its JSON Schema. A field that stays empty is absent from the value. The person can
 * edit the object as JSON instead. To be placed in a `form`, whose submission the browser stops while a field is invalid.
 */
export function SchemaForm({ schema, value, onChange, errors = {} }: SchemaFormProps): ReactNode {
  const [isJson, setIsJson] = useState(false);
  const hasFields = isRecord(schema['properties']) && Object.keys(schema['properties']).length > 0;
  if (!hasFields && schema['additionalProperties'] === false)
    return <p className="faint">There is nothing to fill in.</p>;
  return (
    <div className="schema-form">
      {isJson || !hasFields ? (
        <JsonField
          label="Value as JSON"
          value={value}
          onChange={(next) => onChange(isRecord(next) ? next : {})}
          error={errors['']}
        />
      ) : (
        <ObjectFields
          field={{ schema, root: schema, pointer: '', level: 0 }}
          value={value}
          onChange={onChange}
          errors={errors}
        />
      )}
      {hasFields && (
        <div>
          <Button kind="quiet" onClick={() => setIsJson(!isJson)}>
            {isJson ? 'Edit as a form' : 'Edit as JSON'}
          </Button>
        </div>
      )}
    </div>
  );
}
