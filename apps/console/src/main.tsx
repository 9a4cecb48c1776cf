import { notifyManager } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { applyTheme } from './app/theme.ts';
import './app/tokens.css';
import './app/base.css';
import './ui/ui.css';
import './app/layout.css';
import './app/forced-colors.css';

const root = document.querySelector('#root');
if (root === null) throw new Error('index.html has no element with the id root');
// The default is a timer, and a second click can come before it: the button must be busy before the next event.
notifyManager.setScheduler(queueMicrotask);
applyTheme();
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
