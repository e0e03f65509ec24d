import '@fontsource-variable/inter/wght.css';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import '@mantine/spotlight/styles.css';
import './app/global.css';
import { setNonce } from 'get-nonce';
import { createRoot } from 'react-dom/client';
import { App } from './app/App';
import { styleNonce } from './app/nonce';

const root = document.getElementById('root');
if (!root) throw new Error('The page has no element #root.');
// Mantine's dialogs lock the scrolling with a style of a library that asks for the nonce there.
setNonce(styleNonce());
createRoot(root).render(<App />);
