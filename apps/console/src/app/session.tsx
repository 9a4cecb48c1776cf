import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createClient, ProblemError, type Client } from '@signalbox/client';
import { createContext, useContext, useMemo, useState, type ReactNode } from 'react';
import { forgetDrafts } from './drafts.ts';
import { fetchWithClock } from './service-clock.ts';

/** Name of the API key in the storage of the tab, which ends with the tab. */
const STORED_KEY = 'signalbox.api-key';

/** The connection of the page with the service. */
export interface Session {
  readonly client: Client;
  /** API key of the person; undefined where none was entered. */
  readonly apiKey: string | undefined;
  /** Whether the service rejected a request without the key, or with a wrong one. */
  readonly isRejected: boolean;
  /** Uses another key from now on. Undefined signs out: it forgets the key and the data that it showed. */
  readonly signIn: (apiKey: string | undefined) => void;
}

const SessionContext = createContext<Session | undefined>(undefined);

/** Provides the session and the cache of its requests. */
export function SessionProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [apiKey, setApiKey] = useState(() => sessionStorage.getItem(STORED_KEY) ?? undefined);
  const [rejectedClient, setRejectedClient] = useState<Client>();
  const connection = useMemo(() => {
    const client = createClient({ baseUrl: location.origin, apiKey, fetch: fetchWithClock });
    const onError = (error: unknown): void => {
      if (isUnauthorized(error)) setRejectedClient(client);
    };
    return { client, queries: createQueries(onError) };
  }, [apiKey]);
  const session = useMemo<Session>(
    () => ({
      client: connection.client,
      apiKey,
      isRejected: rejectedClient === connection.client,
      signIn(next) {
        if (next === undefined) {
          sessionStorage.removeItem(STORED_KEY);
          forgetDrafts();
        } else sessionStorage.setItem(STORED_KEY, next);
        setRejectedClient(undefined);
        setApiKey(next);
      },
    }),
    [connection, apiKey, rejectedClient],
  );
  return (
    <SessionContext value={session}>
      {/* A mounted query keeps its cache: another key needs new pages. */}
      <QueryClientProvider key={apiKey ?? ''} client={connection.queries}>
        {children}
      </QueryClientProvider>
    </SessionContext>
  );
}

/** Returns the session. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('useSession needs a SessionProvider above it');
  return session;
}

/** Returns the client of the session. */
export function useClient(): Client {
  return useSession().client;
}

function createQueries(onError: (error: unknown) => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 1000,
        retry: (failures, error) => failures < 3 && mayPass(error),
      },
    },
  });
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof ProblemError && error.code === 'unauthorized';
}

/** Whether a request may succeed when it is repeated: the network failed, or the service says so. */
function mayPass(error: unknown): boolean {
  return error instanceof ProblemError ? error.isRetryable : true;
}
