import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { catalogues } from './tools/catalogues.ts';
import { groups } from './tools/chunks.ts';
import { budget, linked, precompress } from './tools/finish.ts';
import { logos } from './tools/logos.ts';
import { notices } from './tools/notices.ts';
import { xtermPolicy } from './tools/xterm.ts';

const LICENSES = 'third-party-licenses.md';

// For development beside a running daemon: JACKFIELD_DAEMON_ENDPOINT is its address, JACKFIELD_TOKEN a token for it where one is needed.
const daemon = process.env.JACKFIELD_DAEMON_ENDPOINT ?? 'http://127.0.0.1:8765';
const token = process.env.JACKFIELD_TOKEN;

function toDaemon(ws = false) {
  const headers: Record<string, string> = { origin: daemon, 'sec-fetch-site': 'same-origin' };
  if (token) headers.authorization = `Bearer ${token}`;
  return { target: daemon, changeOrigin: true, ws, headers };
}

const proxy = { '/api': toDaemon(true), '/ws': toDaemon(true), '/health': toDaemon(), '/webhook': toDaemon() };

export default defineConfig({
  base: '/ui/',
  plugins: [react(), catalogues(), xtermPolicy(), logos(), linked(), notices(LICENSES), precompress(), budget()],
  resolve: { tsconfigPaths: true },
  build: {
    target: 'es2022',
    outDir: '../static',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: LICENSES },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: groups(import.meta.dirname),
        },
      },
    },
  },
  server: { proxy },
  preview: { proxy },
});
