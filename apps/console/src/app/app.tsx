import type { ReactNode } from 'react';
import { Toasts } from '../ui/toast.tsx';
import { Layout } from './layout.tsx';
import { LoginPage } from './login-page.tsx';
import { SessionProvider, useSession } from './session.tsx';

/** The console. */
export function App(): ReactNode {
  return (
    <SessionProvider>
      <Toasts>
        <Pages />
      </Toasts>
    </SessionProvider>
  );
}

function Pages(): ReactNode {
  return useSession().isRejected ? <LoginPage /> : <Layout />;
}
