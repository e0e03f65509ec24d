import { Stack } from '@mantine/core';
import { useSession } from '../../../app/session';
import { EmptyState } from '../../../components/EmptyState';
import { IconShieldLock } from '../../../icons/drawn';
import { t } from '../../../language/messages';
import { Factors } from './Factors';
import { Passkeys } from './Passkeys';
import { OwnSessions } from './Sessions';

/** Second factors, passkeys and sessions of one's own. */
export default function Security() {
  const owner = useSession().info?.kind === 'owner';
  return (
    <Stack gap="xl">
      {owner ? (
        <EmptyState icon={IconShieldLock} title={t('Second factors belong to users')}>
          {t(
            'You came in as the user of this computer, who logs in without a password. Add a user under “Users” to have a second factor or a passkey.',
          )}
        </EmptyState>
      ) : (
        <>
          <Factors />
          <Passkeys />
        </>
      )}
      <OwnSessions />
    </Stack>
  );
}
