import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { messageOf } from '../api/errors';
import { IconAlertTriangle } from '../icons/drawn';
import { t } from '../language/messages';

interface Props {
  /** The address: another one is another chance. */
  at: string;
  /** Does without it: a part of a page, which goes on beside it. */
  onClose?: () => void;
  children: ReactNode;
}

interface State {
  error: unknown;
}

/** A page that breaks breaks alone: the shell stays, and the page can be opened again. So does a part of one. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: undefined };

  static getDerivedStateFromError(error: unknown): State {
    return { error: error ?? new Error(t('Unknown')) };
  }

  override componentDidUpdate(before: Props) {
    if (before.at !== this.props.at && this.state.error !== undefined) this.setState({ error: undefined });
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    const { onClose } = this.props;
    const close = onClose && (
      <Button variant="default" onClick={onClose}>
        {t('Close')}
      </Button>
    );
    if (OUTDATED.test(messageOf(error))) return <Outdated close={close} />;
    return (
      <Alert
        color="red"
        icon={<IconAlertTriangle />}
        title={onClose ? t('This part of the page has failed') : t('This page has failed')}
        maw={640}
        my="lg"
        role="alert"
      >
        <Stack>
          <Text>{t('This is a bug in Jackfield. Everything else still works.')}</Text>
          <Text className="jf-mono">{messageOf(error)}</Text>
          <Group>
            <Button variant="default" onClick={() => this.setState({ error: undefined })}>
              {t('Open it again')}
            </Button>
            <Button variant="default" onClick={() => location.reload()}>
              {t('Reload everything')}
            </Button>
            {close}
          </Group>
        </Stack>
      </Alert>
    );
  }
}

/** What browsers say when a chunk of the page is gone: the daemon serves a newer build, or none. */
const OUTDATED = /dynamically imported module|importing a module script|error loading.*module/i;

function Outdated({ close }: { close: ReactNode }) {
  return (
    <Alert icon={<IconAlertTriangle />} title={t('This page could not be loaded')} maw={640} my="lg" role="alert">
      <Stack align="flex-start">
        <Text>{t('Jackfield has probably been updated since this page was opened.')}</Text>
        <Group>
          <Button onClick={() => location.reload()}>{t('Reload')}</Button>
          {close}
        </Group>
      </Stack>
    </Alert>
  );
}
