/** The browser's side of passkeys. Options and answers are JSON with base64url, as WebAuthn's JSON forms have it. */

import { t } from '../../language/messages';

interface Descriptor {
  id: string;
  type: PublicKeyCredentialType;
  transports?: AuthenticatorTransport[];
}

interface CreationJson {
  challenge: string;
  user: { id: string; name: string; displayName: string };
  excludeCredentials?: Descriptor[];
}

interface RequestJson {
  challenge: string;
  allowCredentials?: Descriptor[];
}

export function hasPasskeys(): boolean {
  return typeof PublicKeyCredential !== 'undefined';
}

/** A new passkey, for the daemon. Throws where the user thinks better of it. */
export async function createPasskey(options: unknown): Promise<string> {
  const asked = options as CreationJson;
  const made = await navigator.credentials.create({
    publicKey: {
      ...(asked as unknown as PublicKeyCredentialCreationOptions),
      challenge: bytes(asked.challenge),
      user: { ...asked.user, id: bytes(asked.user.id) },
      excludeCredentials: (asked.excludeCredentials ?? []).map(descriptor),
    },
  });
  const { response, ...rest } = plain(made);
  const answer = response as AuthenticatorAttestationResponse;
  return JSON.stringify({
    ...rest,
    response: {
      clientDataJSON: text(answer.clientDataJSON),
      attestationObject: text(answer.attestationObject),
      transports: answer.getTransports?.() ?? [],
    },
  });
}

/** The signature of a passkey, for the daemon. Throws where the user thinks better of it. */
export async function signWithPasskey(options: unknown): Promise<string> {
  const asked = options as RequestJson;
  const made = await navigator.credentials.get({
    publicKey: {
      ...(asked as unknown as PublicKeyCredentialRequestOptions),
      challenge: bytes(asked.challenge),
      allowCredentials: (asked.allowCredentials ?? []).map(descriptor),
    },
  });
  const { response, ...rest } = plain(made);
  const answer = response as AuthenticatorAssertionResponse;
  return JSON.stringify({
    ...rest,
    response: {
      clientDataJSON: text(answer.clientDataJSON),
      authenticatorData: text(answer.authenticatorData),
      signature: text(answer.signature),
      userHandle: answer.userHandle ? text(answer.userHandle) : null,
    },
  });
}

/** An error of the browser in words: its own name no reason to strangers. */
export function passkeyProblem(error: unknown): Error {
  if (error instanceof DOMException && error.name === 'InvalidStateError')
    return new Error(t('This device has a passkey of yours already.'));
  if (error instanceof DOMException) return new Error(t('The browser returned no answer from a passkey. Try again.'));
  return error instanceof Error ? error : new Error(String(error));
}

function plain(made: Credential | null) {
  if (!(made instanceof PublicKeyCredential)) throw new Error(t('The browser returned no passkey.'));
  const { id, rawId, type, response, authenticatorAttachment } = made;
  return { id, rawId: text(rawId), type, response, authenticatorAttachment, clientExtensionResults: {} };
}

function descriptor({ id, ...rest }: Descriptor): PublicKeyCredentialDescriptor {
  return { ...rest, id: bytes(id) };
}

function bytes(given: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(given.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
}

function text(given: ArrayBuffer): string {
  const plainText = btoa(String.fromCharCode(...new Uint8Array(given)));
  return plainText.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
