/** The design's tokens, in one place. Components take them from the theme or from app/global.css, never as literals. */

import {
  ActionIcon,
  Button,
  type CSSVariablesResolver,
  createTheme,
  Input,
  type MantineColorsTuple,
  type MenuProps,
  type ModalProps,
  type NotificationProps,
  Paper,
  Table,
  Tooltip,
} from '@mantine/core';
import { t } from '../language/messages';

/** Glazed tile. White on 7 has a contrast of 4.5 or more, on 4 it is text in the dark. */
const glaze: MantineColorsTuple = [
  '#e9f6f7',
  '#d0eaec',
  '#a3d5da',
  '#72bfc7',
  '#4cadb6',
  '#339eaa',
  '#1f8f9b',
  '#117c87',
  '#0b6670',
  '#064f57',
];

const gray: MantineColorsTuple = [
  '#f7f8f9',
  '#eff1f3',
  '#e3e6e9',
  '#d2d7dc',
  '#b6bdc5',
  '#929ba5',
  '#626c77',
  '#474f59',
  '#2f363e',
  '#1a1f25',
];

const dark: MantineColorsTuple = [
  '#dadee3',
  '#b9c0c8',
  '#9aa3ad',
  '#858f9a',
  '#3a424c',
  '#2c333b',
  '#21272e',
  '#15191e',
  '#101317',
  '#0a0c0f',
];

const mono =
  'ui-monospace, "SF Mono", "Cascadia Mono", "JetBrains Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';
const sans =
  '"Inter Variable", Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif';

export const theme = createTheme({
  primaryColor: 'glaze',
  primaryShade: 7,
  autoContrast: true,
  luminanceThreshold: 0.22,
  colors: { glaze, gray, dark },
  fontFamily: sans,
  fontFamilyMonospace: mono,
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  lineHeights: { xs: '1.35', sm: '1.4', md: '1.45', lg: '1.5', xl: '1.3' },
  spacing: { xs: '0.25rem', sm: '0.5rem', md: '1rem', lg: '1.5rem', xl: '2rem' },
  radius: { xs: '0.1875rem', sm: '0.25rem', md: '0.375rem', lg: '0.5rem', xl: '0.75rem' },
  defaultRadius: 'md',
  headings: {
    fontFamily: sans,
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.25rem', lineHeight: '1.3' },
      h2: { fontSize: '1rem', lineHeight: '1.4' },
      h3: { fontSize: '0.875rem', lineHeight: '1.45' },
    },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    ActionIcon: ActionIcon.extend({ defaultProps: { variant: 'subtle', color: 'gray', size: 'lg' } }),
    Button: Button.extend({ defaultProps: { size: 'sm' } }),
    Input: Input.extend({ defaultProps: { size: 'sm' } }),
    InputWrapper: Input.Wrapper.extend({
      defaultProps: { size: 'sm', inputWrapperOrder: ['label', 'description', 'input', 'error'] },
    }),
    // Named, not imported: menus and dialogs are no part of the first load.
    Menu: {
      defaultProps: {
        shadow: 'md',
        position: 'bottom-end',
        withInitialFocusPlaceholder: false,
      } satisfies Partial<MenuProps>,
    },
    Modal: {
      defaultProps: {
        centered: true,
        overlayProps: { backgroundOpacity: 0.45 },
        closeButtonProps: { 'aria-label': t('Close') },
        // A dialog's head is no banner of the document.
        attributes: { header: { role: 'none' } },
      } satisfies Partial<ModalProps>,
    },
    Notification: {
      defaultProps: { closeButtonProps: { 'aria-label': t('Close') } } satisfies Partial<NotificationProps>,
    },
    Paper: Paper.extend({ defaultProps: { withBorder: true } }),
    Table: Table.extend({ defaultProps: { verticalSpacing: 'sm', horizontalSpacing: 'md' } }),
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 400, withArrow: true } }),
  },
});

/** What Mantine's own choice is too faint for: placeholders and dimmed text keep 4.5 : 1 on every surface. */
export const variables: CSSVariablesResolver = () => ({
  variables: {
    '--jf-header': '3rem',
    '--jf-nav': '13.5rem',
  },
  light: {
    '--mantine-color-body': '#fbfbfc',
    '--mantine-color-placeholder': gray[6],
    '--mantine-color-dimmed': '#5d6772',
    '--mantine-color-text': gray[9],
    '--mantine-color-error': '#b42525',
    '--jf-surface': '#ffffff',
    '--jf-sunken': gray[1],
    '--jf-terminal': '#ffffff',
    '--jf-line': gray[2],
    '--jf-hover': gray[1],
    '--jf-accent-soft': glaze[0],
    '--jf-accent-text': glaze[8],
    '--jf-good': '#1b7a3d',
    '--jf-bad': '#b42525',
    '--jf-warn': '#8f5a00',
    '--jf-busy': glaze[8],
    '--jf-still': gray[6],
    '--jf-banner': '#fdf0d0',
    '--jf-banner-text': '#5c3d00',
    '--jf-code-string': '#7a4a00',
    '--jf-code-number': '#4a3fb5',
    '--jf-code-literal': '#a02a62',
    '--jf-code-keyword': '#8a2f8f',
  },
  dark: {
    '--mantine-color-body': dark[7],
    '--mantine-color-placeholder': dark[3],
    '--mantine-color-dimmed': dark[2],
    '--mantine-color-error': '#ff8f8f',
    '--jf-surface': '#1a1f25',
    '--jf-sunken': '#101317',
    '--jf-terminal': '#101317',
    '--jf-line': dark[5],
    '--jf-hover': '#232a31',
    '--jf-accent-soft': '#10343a',
    '--jf-accent-text': glaze[3],
    '--jf-good': '#5fce87',
    '--jf-bad': '#ff8f8f',
    '--jf-warn': '#eab65c',
    '--jf-busy': glaze[4],
    '--jf-still': dark[2],
    '--jf-banner': '#4a3510',
    '--jf-banner-text': '#ffe2a8',
    '--jf-code-string': '#e8c07d',
    '--jf-code-number': '#b3abff',
    '--jf-code-literal': '#ff9cc8',
    '--jf-code-keyword': '#e0a3e6',
  },
});

export const MONO = mono;
