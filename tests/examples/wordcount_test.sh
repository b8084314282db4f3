#!/usr/bin/env bash
# wordcount_test.sh ORIEL_RUN WORDCOUNT RANKS
set -euo pipefail
run=$1 wordcount=$2 ranks=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C

# same EXPECTED ACTUAL: both hold "count text" lines.
same() {
  [ -s "$1" ] || { echo "no counts were expected: the test is broken" >&2; exit 1; }
  diff <(sort "$1") <(sort "$2") >"$work/diff" || { head "$work/diff" >&2; exit 1; }
}
words() {  # each file apart: a word does not go on in the next one
  for file in "$@"; do tr -cs 'A-Za-z' '\n' <"$file"; echo; done |
    tr 'A-Z' 'a-z' | sed '/^$/d' | sort | uniq -c | awk '{print $1, $2}'
}

# 1. Without files: the licences that Debian carries.
mapfile -t licences < <(find /usr/share/common-licenses -type f | sort)
words "${licences[@]}" >"$work/expected"
"$run" -n "$ranks" "$wordcount" --counts "$work/actual" >"$work/out"
same "$work/expected" "$work/actual"
grep -q 'million inserts per second' "$work/out"
grep -q "window 'slots'" "$work/out"
[ "$(sed -n 2,11p "$work/out" | wc -l)" = 10 ]

# 2. Words at the edges: files that end in a word, one of one letter, an empty one, long words.
printf 'One two' >"$work/a"
printf 'two, three\n\n' >"$work/b"
printf x >"$work/c"
: >"$work/d"
head -c 100000 /dev/zero | tr '\0' w >"$work/e"
words "$work"/[a-e] >"$work/expected"
"$run" -n "$ranks" "$wordcount" --counts "$work/actual" "$work"/[a-e] >/dev/null
same "$work/expected" "$work/actual"

# 3. k-mers: over line ends, not over records or other letters.
awk 'BEGIN { srand(7); for (r = 0; r < 9; r++) { print ">record " r " ACGT";
  for (l = 0; l < 200; l++) { s = ""; for (i = 0; i < 61; i++)
    s = s substr("ACGTACGTACGTacgtN", int(rand() * 17) + 1, 1); print s } } }' >"$work/dna.fa"
for k in 1 5 31; do
  awk -v k=$k 'function flush_record() { for (i = 1; i + k - 1 <= length(s); i++) {
      w = substr(s, i, k); if (w !~ /N/) n[w]++ } s = "" }
    /^>/ { flush_record(); next } { s = s toupper($0) }
    END { flush_record(); for (w in n) print n[w], w }' "$work/dna.fa" >"$work/expected"
  "$run" -n "$ranks" "$wordcount" --kmer $k --counts "$work/actual" "$work/dna.fa" >/dev/null
  same "$work/expected" "$work/actual"
done

# 4. What cannot be read is refused at once: one sentence, with the file and what would be valid.
# refused FILE TEXT [COMMAND…]: COMMAND runs the job.
refused() {
  local file=$1 text=$2 status=0
  shift 2
  timeout 20 "$@" "$run" -n "$ranks" "$wordcount" "$work/a" "$file" >"$work/out" 2>"$work/err" || status=$?
  [ "$status" = 1 ] || { echo "status $status, not 1, for $file" >&2; cat "$work/err" >&2; exit 1; }
  [ ! -s "$work/out" ] || { echo "something was counted for $file" >&2; exit 1; }
  grep -v '^oriel-run: rank' "$work/err" >"$work/said" || true
  [ "$(wc -l <"$work/said")" = 1 ] && grep -q "cannot read $file: .*$text.*; valid: " "$work/said" ||
    { echo "not one sentence with '$text' about $file:" >&2; cat "$work/said" >&2; exit 1; }
}
refused "$work/missing" 'No such file'
refused "$work" 'a directory'
mkfifo "$work/fifo"
refused "$work/fifo" 'a pipe'
refused /dev/zero 'a device'
refused /proc/self/status 'size'
printf secret >"$work/unreadable"
chmod 0 "$work/unreadable"
chmod 755 "$work"
if [ ! -r "$work/unreadable" ]; then
  refused "$work/unreadable" 'Permission denied'
elif setpriv --reuid=65534 --clear-groups "$run" -n 1 true 2>/dev/null; then  # root reads everything
  refused "$work/unreadable" 'Permission denied' setpriv --reuid=65534 --clear-groups
else
  echo "not tried: a file that this user may not read"
fi
