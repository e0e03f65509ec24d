// A real provider: node provider.mjs PEOPLE_FILE CALLBACK...
// PEOPLE_FILE is read at each question: {"ada": {"name": ..., "groups": [...]}}. The issuer is the first line of output.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(join(process.env.JACKFIELD_TEST_OIDC_PROVIDER, 'package.json'));
const { Provider } = await import(require.resolve('oidc-provider'));
const [people, ...callbacks] = process.argv.slice(2);
const origins = callbacks.map((callback) => new URL(callback).origin);

const server = createServer();
server.listen(0, '127.0.0.1', () => {
  // Another site than the daemon's 127.0.0.1, as a provider is in earnest.
  const issuer = `http://localhost:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'jackfield',
        client_secret: 'a secret of the real provider',
        redirect_uris: callbacks,
        post_logout_redirect_uris: origins.map((origin) => `${origin}/auth/left`),
        backchannel_logout_uri: `${origins[0]}/api/v1/auth/logout-notices?provider=corp`,
      },
    ],
    claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'], groups: ['groups'] },
    scopes: ['openid', 'profile', 'email', 'groups', 'offline_access'],
    cookies: { keys: ['a key of the tests'] },
    features: { backchannelLogout: { enabled: true }, rpInitiatedLogout: { enabled: true } },
    // Its own client refuses loopback.
    fetch: (url, { method, headers, body, signal }) => fetch(url, { method, headers, body, signal }),
    pkce: { required: () => true },
    findAccount: (_context, id) => {
      const person = JSON.parse(readFileSync(people, 'utf8'))[id];
      return person && { accountId: id, claims: () => ({ sub: id, ...person }) };
    },
  });
  provider.on('backchannel.error', (_context, error) => console.error(error));
  server.on('request', provider.callback());
  console.log(issuer);
});
