import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import type { IconName } from './icon.tsx';
import { useToast } from './toast.tsx';

interface CopyButtonProps {
  /** Text of the button, such as `Copy as curl`. */
  readonly label: string;
  /** Text to copy; a function is called at the click. */
  readonly text: string | (() => string);
  /** Whether only the icon is shown. Default: no. */
  readonly isIcon?: boolean;
  /** Default: `copy`. */
  readonly icon?: IconName;
}

/** A button that copies a text to the clipboard and says so. */
export function CopyButton({
  label,
  text,
  isIcon = false,
  icon = 'copy',
}: CopyButtonProps): ReactNode {
  const toast = useToast();
  const copy = (): void => {
    navigator.clipboard.writeText(typeof text === 'string' ? text : text()).then(
      () => toast('Copied'),
      () => toast('The browser did not allow the copy', 'bad'),
    );
  };
  return isIcon ? (
    <Button kind="quiet" icon={icon} label={label} onClick={copy}>
      {null}
    </Button>
  ) : (
    <Button kind="quiet" icon={icon} onClick={copy}>
      {label}
    </Button>
  );
}
