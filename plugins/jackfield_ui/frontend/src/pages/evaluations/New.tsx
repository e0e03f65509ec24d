import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { areaPath } from '../../app/areas';
import { Page } from '../../components/Page';
import { t } from '../../language/messages';
import { DefinitionForm } from './DefinitionForm';
import { createEvaluation, evaluationPath, KEY } from './queries';

const CRUMBS = [{ label: t('Evaluations'), to: areaPath('evaluations') }];

export default function New() {
  const client = useQueryClient();
  const navigate = useNavigate();
  return (
    <Page title={t('New evaluation')} crumbs={CRUMBS}>
      <DefinitionForm
        named
        onSave={async (definition, name) => {
          const { version: _, ...rest } = definition;
          await createEvaluation({ ...rest, name });
          void client.invalidateQueries({ queryKey: KEY });
          void navigate(evaluationPath(name));
        }}
      />
    </Page>
  );
}
