import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

interface ButtonProps {
  readonly children: ReactNode;
  /** Default: `secondary`. */
  readonly kind?: 'primary' | 'secondary' | 'danger' | 'quiet';
  readonly icon?: IconName;
  /** Default: `button`. */
  readonly type?: 'button' | 'submit';
  /** Id of the form that a submit button outside of it submits. */
  readonly form?: string;
  readonly isDisabled?: boolean;
  /** Whether the action is in progress: the button keeps the focus and does nothing. */
  readonly isBusy?: boolean;
  readonly onClick?: () => void;
  /** Name for screen readers, where the children are no text. */
  readonly label?: string;
}

/** A button. */
export function Button({
  children,
  kind = 'secondary',
  icon,
  type = 'button',
  form,
  isDisabled = false,
  isBusy = false,
  onClick,
  label,
}: ButtonProps): ReactNode {
  return (
    <button
      className={`button ${kind}`}
      type={type === 'submit' ? 'submit' : 'button'}
      form={form}
      disabled={isDisabled}
      aria-disabled={isBusy || undefined}
      aria-busy={isBusy || undefined}
      aria-label={label}
      title={label}
      onClick={(event) => {
        if (isBusy) event.preventDefault();
        else onClick?.();
      }}
    >
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  );
}
