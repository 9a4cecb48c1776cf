import { useQuery } from '@tanstack/react-query';
import { unwrap, type components } from '@signalbox/client';
import { useEffect, useState, type ReactNode } from 'react';
import { useClient } from '../app/session.tsx';
import { printable } from '../ui/printable.ts';
import { TextField } from '../ui/text-field.tsx';

/** Milliseconds without a key press after which suggestions are requested. */
const PAUSE_MS = 150;

interface CompletionFieldProps {
  readonly server: string;
  /** The prompt or the template of the argument. */
  readonly of: components['schemas']['CompletionRequest']['of'];
  readonly name: string;
  readonly description?: string | undefined;
  readonly isRequired: boolean;
  /** Values of all arguments. */
  readonly values: { readonly [name: string]: string };
  readonly onChange: (value: string) => void;
}

/** A field for an argument, with the values that the server suggests. */
export function CompletionField({
  server,
  of,
  name,
  description,
  isRequired,
  values,
  onChange,
}: CompletionFieldProps): ReactNode {
  const { api } = useClient();
  const value = values[name] ?? '';
  const typed = usePaused(value);
  const chosen = Object.fromEntries(
    Object.entries(values).filter(([other, text]) => other !== name && text !== ''),
  );
  const { data } = useQuery({
    queryKey: ['servers', server, 'completion', of, name, typed, chosen],
    queryFn: ({ signal }) =>
      unwrap(
        api.POST('/v1/servers/{name}/completions', {
          params: { path: { name: server } },
          body: { of, argument: { name, value: typed }, chosen },
          signal,
        }),
      ),
    // A server without completions is no failure of the form.
    retry: false,
    placeholderData: (previous) => previous,
  });
  return (
    <TextField
      label={printable(name)}
      hint={description === undefined ? undefined : printable(description)}
      isRequired={isRequired}
      value={value}
      onChange={onChange}
      autoComplete="off"
      suggestions={data?.values.filter((suggestion) => suggestion !== value)}
    />
  );
}

function usePaused(value: string): string {
  const [paused, setPaused] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return paused;
}
