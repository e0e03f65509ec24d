import { Select } from '@mantine/core';
import { useState } from 'react';
import { useMay } from '../../app/session';
import { t } from '../../language/messages';
import { named, type Placed, PlacingDialog } from './PlacingDialog';
import { move } from './queries';
import { reaches, useBelonging } from './rights';

/** Asks for the project that things move to. */
export default function MoveDialog(placed: Placed) {
  const { kind, things } = placed;
  const belonging = useBelonging(
    kind,
    things.map(({ id }) => id),
  );
  const admin = useMay('admin');
  const [chosen, setChosen] = useState<string | null>(null);
  const present = new Set(things.map(({ id }) => belonging.place(id)?.projectId));
  const choices = belonging.projects.filter(
    ({ id, role }) => (admin || reaches(role, 'write')) && !(present.size === 1 && present.has(id)),
  );
  return (
    <PlacingDialog
      {...placed}
      title={t('Move {named}', { named: named(kind, things) })}
      action={t('Move')}
      done={(moved) => t('{moved} moved.', { moved })}
      notDone={(kept) => t('{kept} not moved', { kept })}
      ready={chosen !== null}
      run={(id) => move(kind, id, chosen ?? '')}
    >
      <Select
        label={t('Project')}
        description={
          kind === 'workflow'
            ? t('A moved workflow leaves its folder. Share or move its credentials and data tables as well.')
            : t('Workflows of other projects can no longer use it, unless you share it with them.')
        }
        placeholder={t('Choose a project')}
        nothingFoundMessage={t('No other project can take it')}
        data={choices.map(({ id, name }) => ({ value: id, label: name }))}
        value={chosen}
        onChange={setChosen}
        searchable
        data-autofocus
      />
    </PlacingDialog>
  );
}
