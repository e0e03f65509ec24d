import { t } from './language/messages';
import '@fontsource-variable/inter/wght.css';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import '@mantine/spotlight/styles.css';
import './app/global.css';
import { setNonce } from 'get-nonce';
import { createRoot } from 'react-dom/client';
import { App } from './app/App';
import { styleNonce } from './app/nonce';
import { fetchPage } from './app/router';

/** Milliseconds for the page's own code, which mostly comes with the rest; then the frame is drawn without it. */
const PATIENCE = 100;

const root = document.getElementById('root');
if (!root) throw new Error(t('The page has no element #root.'));
// Mantine's dialogs lock the scrolling with a style of a library that asks for the nonce there.
setNonce(styleNonce());
const late = new Promise((resolve) => setTimeout(resolve, PATIENCE));
void Promise.race([fetchPage(), late]).then(() => createRoot(root).render(<App />));
