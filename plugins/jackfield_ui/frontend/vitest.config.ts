import { mergeConfig } from 'vite';
import { defineConfig } from 'vitest/config';
import config from './vite.config.ts';

// Apart from what the build reads, so that a build needs no vitest.
export default mergeConfig(
  config,
  defineConfig({ test: { environment: 'node', include: ['src/**/*.test.{ts,tsx}'] } }),
);
