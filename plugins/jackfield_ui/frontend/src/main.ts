import { begin } from './app/begin';
import { beginLanguage } from './language/choice';

begin();
void beginLanguage().then(() => import('./root'));
