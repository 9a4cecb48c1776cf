import type { ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { SHORTCUTS, useShortcutSetting } from './shortcuts.ts';

/** Lists the keys of the inbox, and turns them off. */
export function ShortcutHelp({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [isOn, turn] = useShortcutSetting();
  return (
    <Dialog
      title="Keyboard shortcuts"
      onClose={onClose}
      actions={
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <dl className="shortcuts">
        {SHORTCUTS.map(({ key, effect }) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{effect}</dd>
          </div>
        ))}
        <div>
          <dt>
            <kbd>Ctrl</kbd> <kbd>Enter</kbd>
          </dt>
          <dd>In a field: approve, accept or send</dd>
        </div>
      </dl>
      <p className="faint">
        A key moves the focus to an action; Enter executes it. Nothing is approved by a single key.
        Keys do nothing while you type in a field.
      </p>
      <label className="check">
        <input type="checkbox" checked={isOn} onChange={(event) => turn(event.target.checked)} />
        Use single keys as shortcuts in this browser
      </label>
    </Dialog>
  );
}
