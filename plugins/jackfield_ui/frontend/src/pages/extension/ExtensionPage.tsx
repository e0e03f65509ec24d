import { useParams } from 'react-router';
import { useExtensions } from '../../app/extensions';
import { Page } from '../../components/Page';
import { Drawn } from './Drawn';

/** A page that a plugin draws. */
export default function ExtensionPage() {
  const { extension = '', page = '' } = useParams();
  const { data } = useExtensions();
  const known = data?.find((one) => one.name === extension)?.pages.find((one) => one.name === page);
  return (
    <Page title={known?.label ?? page}>
      <Drawn key={`${extension}/${page}`} extension={extension} page={page} />
    </Page>
  );
}
