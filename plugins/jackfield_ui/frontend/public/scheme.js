// Before the first paint, so that a dark page never flashes white. A file, because the page allows no inline script.
(() => {
  let wanted = 'auto';
  try {
    wanted = localStorage.getItem('jackfield.scheme') || 'auto';
  } catch {
    // Storage may be forbidden; the system's scheme it is then.
  }
  const dark = wanted === 'dark' || (wanted !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
})();
