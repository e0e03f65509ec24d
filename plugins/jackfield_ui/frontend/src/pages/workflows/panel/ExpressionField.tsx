import { ActionIcon, Box } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazy, Suspense, useRef } from 'react';
import { CodeEditor } from '../../../components/CodeEditor';
import { IconMaximize } from '../../../icons/drawn';
import { t } from '../../../language/messages';
import { usePanel } from './context';
import { Result } from './expression/Result';
import { useDiagnostics } from './expression/useDiagnostics';
import { useExpressionExtensions } from './expression/useExpressionExtensions';
import { usePreview } from './expression/usePreview';
import classes from './panel.module.css';

const ExpressionDialog = lazy(() => import('./expression/ExpressionDialog'));

interface Props {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** The field begins with the focus at this place: somebody types on. */
  cursor?: number | undefined;
}

/** A template with what it gives for the item that is looked at. `value` begins with "=". */
export function ExpressionField({ label, value, onChange, cursor }: Props) {
  const [large, { open, close }] = useDisclosure();
  const box = useRef<HTMLDivElement>(null);
  const leave = () => {
    close();
    setTimeout(() => box.current?.querySelector<HTMLElement>('.cm-content')?.focus());
  };
  return (
    <Box className={classes.expression} ref={box}>
      <Small label={label} value={value} onChange={onChange} cursor={cursor} onLarge={open} />
      {large && (
        <Suspense>
          <ExpressionDialog label={label} value={value} onChange={onChange} onClose={leave} />
        </Suspense>
      )}
    </Box>
  );
}

function Small({ label, value, onChange, cursor, onLarge }: Props & { onLarge: () => void }) {
  const { editable } = usePanel();
  const template = value.slice(1);
  const extensions = useExpressionExtensions({ 'Mod-Enter': onLarge });
  const preview = usePreview(template);
  const diagnostics = useDiagnostics(template, preview);
  return (
    <>
      <Box pos="relative">
        <CodeEditor
          label={t('{label}, expression', { label })}
          language="template"
          value={template}
          onChange={(text) => onChange(`=${text}`)}
          minHeight={34}
          maxHeight={220}
          lineNumbers={false}
          placeholder="{{ $json.field }}"
          extensions={extensions}
          diagnostics={diagnostics}
          readOnly={!editable}
          cursor={cursor}
        />
        <ActionIcon
          className={classes.enlarge}
          size="sm"
          onClick={onLarge}
          aria-label={t('Large editor for {label}', { label })}
          title={t('Large editor (Ctrl+Enter)')}
        >
          <IconMaximize size={14} aria-hidden="true" />
        </ActionIcon>
      </Box>
      <Result preview={preview} />
    </>
  );
}
