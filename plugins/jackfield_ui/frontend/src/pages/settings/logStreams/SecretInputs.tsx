import { Button, Checkbox, Group, PasswordInput, Stack, Text } from '@mantine/core';
import { KeyValueEditor, type Pair } from '../../../components/KeyValueEditor';
import { t } from '../../../language/messages';
import { checkedHeaders } from './secrets';

/** The key that signs requests. */
export function SigningInput({
  kept,
  unsigned,
  input,
  onUnsigned,
}: {
  /** Whether there is one. */
  kept: boolean;
  unsigned: boolean;
  input: object;
  onUnsigned: (unsigned: boolean) => void;
}) {
  return (
    <Stack gap="xs">
      <PasswordInput
        label={t('Secret')}
        description={kept ? t('Leave it empty to keep the current one.') : t('Signs each request.')}
        maxLength={1000}
        autoComplete="off"
        {...input}
        disabled={unsigned}
      />
      {kept && (
        <Checkbox
          label={t('Remove the secret')}
          checked={unsigned}
          onChange={(event) => onUnsigned(event.currentTarget.checked)}
        />
      )}
    </Stack>
  );
}

/** Headers of each request. Those that are there are known by their names, and are replaced all at once. */
export function HeaderInputs({
  kept,
  headers,
  error,
  onChange,
}: {
  kept: readonly string[];
  headers: readonly Pair[] | null;
  error: string | undefined;
  onChange: (headers: Pair[] | null) => void;
}) {
  const put = (pairs: readonly Pair[]) => onChange(checkedHeaders(pairs.map((pair) => ({ ...pair, secret: true }))));
  return (
    <Stack gap="xs">
      {headers ? (
        <KeyValueEditor
          label={t('Headers')}
          description={t('Of each request, such as Authorization. Nobody can read their values later.')}
          pairs={headers}
          addLabel={t('Add a header')}
          onChange={put}
        />
      ) : (
        <div>
          <Text fw={500} size="sm">
            {t('Headers')}
          </Text>
          <Text size="sm" className="jf-mono" style={{ overflowWrap: 'anywhere' }}>
            {kept.join(', ')}
          </Text>
        </div>
      )}
      {error && (
        <Text size="sm" c="var(--jf-bad)" role="alert">
          {error}
        </Text>
      )}
      {kept.length > 0 && (
        <Group>
          {headers ? (
            <Button variant="subtle" size="compact-sm" onClick={() => onChange(null)}>
              {t('Keep the current headers')}
            </Button>
          ) : (
            <Button
              variant="default"
              size="compact-sm"
              onClick={() => put(kept.map((key) => ({ key, value: '', secret: true })))}
            >
              {t('Replace the headers')}
            </Button>
          )}
        </Group>
      )}
    </Stack>
  );
}
