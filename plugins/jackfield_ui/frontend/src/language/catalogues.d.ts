/** A catalogue as the build compiles it (tools/catalogues.ts). */
declare module '*.po' {
  const messages: import('@lingui/core').Messages;
  export default messages;
}
