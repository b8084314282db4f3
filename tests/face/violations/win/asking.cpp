// A fixture of floors_test: an operation that looks for its peer itself; never compiled.
int put(const window_core& core, int r) {
  return core.is_remote(r) ? 1 : 0;
}
