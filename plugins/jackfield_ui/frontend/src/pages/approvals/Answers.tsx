import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Approval } from '../../app/approvals';
import { useMay } from '../../app/session';
import { t } from '../../language/messages';
import classes from './approvals.module.css';
import { useAnswer } from './useAnswer';

/** A button for each option, large enough for a thumb. */
export function Answers({ approval }: { approval: Approval }) {
  const answer = useAnswer(approval);
  const writes = useMay('member');
  const [note, setNote] = useState('');
  const takesNote = approval.kind === 'permission';
  return (
    <>
      {takesNote && writes && (
        <TextInput
          mt="sm"
          label={t('Reason')}
          description={t('The agent reads it when you reject.')}
          autoComplete="off"
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
      )}
      <div className={classes.answers}>
        {approval.options.map(({ id, label, allows, lasting }) => (
          <Button
            key={id}
            size="md"
            variant={allows && !lasting ? 'filled' : 'default'}
            disabled={!writes || answer.isPending || (approval.cut && allows)}
            onClick={() => answer.mutate(takesNote ? { option: id, note } : { option: id })}
          >
            {label}
          </Button>
        ))}
      </div>
    </>
  );
}
