import { begin } from './app/begin';

begin();
void import('./root');
