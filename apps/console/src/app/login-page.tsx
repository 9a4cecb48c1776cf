import { useState, type SyntheticEvent, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { TextField } from '../ui/text-field.tsx';
import { useSession } from './session.tsx';

/** Asks for the API key that the service needs. The key stays in this tab. */
export function LoginPage(): ReactNode {
  const { apiKey, signIn } = useSession();
  const [value, setValue] = useState('');
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (value.trim() !== '') signIn(value.trim());
  };
  return (
    <main className="login">
      <form onSubmit={submit}>
        <h1>
          <Icon name="signal" /> Signalbox
        </h1>
        <p>
          This service needs an API key: the value of <code>SIGNALBOX_TOKEN</code>, or a key of its
          configuration. The key is kept in this tab until you close it.
        </p>
        <TextField
          label="API key"
          type="password"
          name="api-key"
          autoComplete="current-password"
          value={value}
          onChange={setValue}
          error={apiKey === undefined ? undefined : 'The service rejected this key. Enter another.'}
        />
        <Button type="submit" kind="primary" isDisabled={value.trim() === ''}>
          Sign in
        </Button>
      </form>
    </main>
  );
}
