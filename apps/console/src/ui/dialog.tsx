import { useId, useLayoutEffect, useRef, type ReactNode } from 'react';
import { Button } from './button.tsx';

interface DialogProps {
  readonly title: string;
  readonly children: ReactNode;
  /** Buttons at the end. */
  readonly actions: ReactNode;
  /** Called when the person closes the dialog, by Escape or its close button. */
  readonly onClose: () => void;
}

/**
 * A modal dialog. It is open while it is rendered; the browser keeps the focus inside and returns it afterwards. If the button that
 * opened it is gone, the page gets the focus.
 */
export function Dialog({ title, children, actions, onClose }: DialogProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // The browser returns the focus only while the dialog is in the document, where a later effect would no longer find it.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => {
      element?.close();
      requestAnimationFrame(focusPage);
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div className="dialog-title">
        <h2 id={titleId}>{title}</h2>
        <Button kind="quiet" icon="close" label="Close" onClick={onClose}>
          {null}
        </Button>
      </div>
      <div className="dialog-body">{children}</div>
      <div className="actions">{actions}</div>
    </dialog>
  );
}

function focusPage(): void {
  if (document.activeElement === document.body)
    document.querySelector<HTMLElement>('main')?.focus({ preventScroll: true });
}
