import { createContext, useCallback, useContext, useRef, useState, type ReactNode } from 'react';
import { Button } from './button.tsx';

/** Shows a message for some seconds. Screen readers announce it. */
export type ShowToast = (text: string, tone?: 'good' | 'bad') => void;

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: 'good' | 'bad';
}

const SHOWN_MS = 6000;
const MAX_TOASTS = 4;

const ToastContext = createContext<ShowToast>(() => undefined);

/** Provides the messages to the pages below it. */
export function Toasts({ children }: { readonly children: ReactNode }): ReactNode {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const nextId = useRef(0);
  const close = useCallback((id: number) => {
    setToasts((shown) => shown.filter((toast) => toast.id !== id));
  }, []);
  const show = useCallback<ShowToast>(
    (text, tone = 'good') => {
      const id = (nextId.current += 1);
      setToasts((shown) => [...shown.slice(1 - MAX_TOASTS), { id, text, tone }]);
      setTimeout(() => close(id), SHOWN_MS);
    },
    [close],
  );
  return (
    <ToastContext value={show}>
      {children}
      <div className="toasts" role="status">
        {toasts.map(({ id, text, tone }) => (
          <div key={id} className={`toast ${tone}`}>
            <span>{text}</span>
            <Button kind="quiet" icon="close" label="Dismiss" onClick={() => close(id)}>
              {null}
            </Button>
          </div>
        ))}
      </div>
    </ToastContext>
  );
}

/** Returns the function that shows a message. */
export function useToast(): ShowToast {
  return useContext(ToastContext);
}
