import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { describeError } from './error-notice.tsx';
import type { IconName } from './icon.tsx';
import { useToast } from './toast.tsx';

interface CopyButtonProps {
  /** Text of the button, such as `Copy as curl`. */
  readonly label: string;
  /** Text to copy; a function is called at the click, and can load what belongs to the text. */
  readonly text: string | (() => string | Promise<string>);
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
  const copy = async (): Promise<void> => {
    const value = typeof text === 'string' ? text : text();
    try {
      await write(value);
      toast('Copied');
    } catch {
      toast(await problemOf(value), 'bad');
    }
  };
  return isIcon ? (
    <Button kind="quiet" icon={icon} label={label} onClick={() => void copy()}>
      {null}
    </Button>
  ) : (
    <Button kind="quiet" icon={icon} onClick={() => void copy()}>
      {label}
    </Button>
  );
}

async function write(text: string | Promise<string>): Promise<void> {
  if (typeof text === 'string') return navigator.clipboard.writeText(text);
  // Browsers allow a copy only at once after the click, and let its text follow.
  const blob = text.then((loaded) => new Blob([loaded], { type: 'text/plain' }));
  return navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })]);
}

/** Returns why a text could not be copied: it could not be loaded, or the browser has not allowed it. */
async function problemOf(text: string | Promise<string>): Promise<string> {
  try {
    await text;
    return 'The browser did not allow the copy';
  } catch (error) {
    return describeError(error);
  }
}
