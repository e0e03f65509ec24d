import { Notifications } from '@mantine/notifications';

/** The messages in the corner. They come after the page; what is told before waits for them. */
export default function Notices() {
  return <Notifications position="bottom-right" limit={4} />;
}
