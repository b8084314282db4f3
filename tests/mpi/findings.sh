# Sourced by tests of what ORIEL_CHECK prints of an MPI program, which leave its output in `out`.
command -v addr2line >/dev/null || { echo "there is no addr2line"; exit 77; }

# once REGEX: one finding is like it.
once() {
  [ "$(grep -Ec "oriel: ORIEL_CHECK: $1" <<<"$out")" -eq 1 ] && return 0
  printf '%s\nnot one line like: %s\n' "$out" "$1"
  exit 1
}
# all NUMBER: there are as many findings.
all() {
  [ "$(grep -c ORIEL_CHECK <<<"$out")" -eq "$1" ] || { echo "$out"; echo "not $1 findings"; exit 1; }
}
# The program has gone on after its errors.
went_on() {
  grep -q '^went on$' <<<"$out" || { echo "$out"; exit 1; }
}
