#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools.t - the checks of ./dev lint find what is planted, and only that; the
# set-up says clearly why it cannot go on; the test runner misses no failure.
# Everything runs on a copy of tools/ in a small tree of its own.
. test/system/tap.sh

passes "additions cost the files that HACKING.md says" tools/count-additions --check
cp -r tools test/system/tap.sh "$tmp/"
cd "$tmp" || exit 1
mkdir -p src/base/test src/json src/sched src/nowhere test examples .cache/lint bin
: >dev

forget() { rm -f src/*/*.[ch]; }

passes "an empty tree has nothing wrong" tools/check-layers

cat >src/sched/a.c <<'END'
#include "json/doc.h"
#include "base/vec.h"
END
passes "policy may include json and base" tools/check-layers
cat >src/sched/b.c <<'END'
#include "http/http_server.h"
END
fails "policy may not include http" tools/check-layers
is "and the line is named" "$output" 'src/sched/b.c:1: sched may not include "http/http_server.h"'
forget
cat >src/base/c.c <<'END'
#include <yyjson.h>
END
fails "an outside library stays in its module" tools/check-layers
forget
cat >src/json/c.c <<'END'
#include <yyjson.h>
#include <openssl/ssl.h>
END
fails "which is one" tools/check-layers
is "and not the other" "$output" "src/json/c.c:2: json may not include <openssl/ssl.h>: that library belongs to another module"
forget
mkdir -p src/programs/bench
echo '#include <yyjson.h>' >src/programs/bench/c.c
passes "vc-bench may measure a library by itself" tools/check-layers
mv src/programs/bench/c.c src/programs/c.c
fails "other programs may not" tools/check-layers
rm -r src/programs
cat >src/base/test/d.c <<'END'
#include "tap.h"
#include "common.h"
END
passes "unit tests may share a header" tools/check-layers
rm src/base/test/d.c
cat >src/nowhere/d.c <<'END'
#include "base/vec.h"
END
fails "a module without a row is refused" tools/check-layers
forget

: >src/base/banned.h
cat >src/base/e.h <<'END'
int e(void);
END
cat >src/base/e.c <<'END'
#include "base/e.h"

#include <stdio.h>

#include "base/banned.h"
END
passes "own header first, banned.h last" tools/check-headers
cat >src/base/f.h <<'END'
size_t f(void);
END
fails "a header that needs another one is refused" tools/check-headers
cat >src/base/f.h <<'END'
int f(void);
END
cat >src/base/f.c <<'END'
#include <stdio.h>
#include "base/f.h"
END
fails "wrong order is refused" tools/check-headers
has "own header" "$output" 'src/base/f.c: "base/f.h" must be its first include'
has "banned.h" "$output" 'src/base/f.c: "base/banned.h" must be its last include'
forget

function_of() { printf 'int long_one(void)\n{\n'; yes '	x();' | head -n "$1"; printf '}\n'; }
function_of 70 >src/base/g.c
passes "a function of 70 lines is fine" tools/check-length
function_of 71 >src/base/g.c
fails "one of 71 is not" tools/check-length
has "and is named" "$output" "src/base/g.c:2: long_one() has 71 lines"
yes '/* */' | head -n 801 >src/base/g.c
passes "a file of 801 lines is asked about" tools/check-length
has "by name" "$output" "src/base/g.c: 801 lines: is it two modules?"
yes '/* */' | head -n 1201 >src/base/g.c
fails "one of 1,201 lines is refused" tools/check-length
forget

printf 'int h; // NO%s\n' LINT >src/base/h.c
fails "no check is switched off" tools/check-exceptions
forget

mkdir docs
: >src/base/there.c
cat >docs/page.md <<'END'
# One page, two
Read `base/there.c`, `there.c`, `src/<module>/<noun>.h`, [this](page.md#one-page-two) and [that](#one-page-two).
END
passes "pages that name what is there" tools/check-docs
cat >>docs/page.md <<'END'
Then `base/gone.c`,
[nothing](gone.md), and
[nothing](#gone).
END
fails "a page that names what is not there" tools/check-docs
is "by its lines" "$output" "docs/page.md:3: there is no base/gone.c
docs/page.md:4: the link to gone.md leads nowhere
docs/page.md:5: docs/page.md has no heading for #gone"
rm -r docs
forget

# A plugin with one argument, and a page that has it.
mkdir -p docs/reference src/sched/plugin src/sched/action
printf 'x = args_int(args, "one.weight", 3); /* scheduler specification, 6.1 */\nconst struct plugin_type one = {\n\t.name = "one",\n' >src/sched/plugin/one.c
printf 'names = "enableJobOrder";\n' >src/sched/config.c
printf '"volcano.sh/some-key"\n' >src/sched/action/act.c
printf '### 6.1 one\n' >docs/scheduler-behavior.md
printf '| \140volcano.sh/some-key\140 |\n' >docs/reference/annotations.md
page_of() { printf '### one\n| \140%s\140 | %s | x |\n## Switches\n\140enableJobOrder\140\n' "$1" "$2" >docs/reference/plugins.md; }
page_of one.weight 3
passes "a reference that has what the code has" tools/check-reference
page_of one.weight 4
fails "a wrong default" tools/check-reference
has "is named" "$output" "one: one.weight is 3 by default, not 4"
page_of two.weight 3
fails "a missing argument" tools/check-reference
has "is named" "$output" "one has no row for its argument one.weight"
has "and so is one that does not exist" "$output" "one has no argument two.weight"
page_of one.weight 3
: >docs/reference/annotations.md
: >docs/scheduler-behavior.md
fails "a missing annotation, a missing rule" tools/check-reference
has "the key" "$output" "there is no row for volcano.sh/some-key"
has "the section" "$output" "docs/scheduler-behavior.md has no section 6.1"
rm -r docs src/sched/plugin src/sched/action
forget

mkdir .ci
cat >src/base/words.c <<'END'
int told; /* one event per pod, 3 times a second; falls behind */
END
passes "a name is no text, and plain English passes" tools/check-words src
cat >src/base/words.c <<'END'
/* The caller is told
 * anew. */
const char *text = "512 bytes a pod";
END
fails "the old register is found in comments and strings" tools/check-words src
is "with the better word" "$output" 'src/base/words.c:1: "told": report, publish, say, show
src/base/words.c:2: "anew": again
src/base/words.c:3: "512 bytes a p": per, not a'
rm -f src/base/there.c src/base/words.c
printf 'Try anew, but not \140anew\140\n' >.ci/page.md
fails "without a path it checks the whole tree" tools/check-words
has "pages outside of code" "$output" '.ci/page.md:1: "anew": again'
rm -r .ci
forget

mkdir -p build-plain/libbase.a.p build-plain/libloop.a.p
object() { gcc -O2 -fPIE -c -x c -o "build-plain/$1" -; }
object libbase.a.p/good.c.o <<'END'
static const char *const names[] = {"a", "b"};
const char *name(int i) { return names[i]; }
END
object libloop.a.p/clock.c.o <<'END'
#include <time.h>
long now(void) { return time(0); }
END
passes "constant tables are fine, and so is the clock in loop/" tools/check-objects
object libbase.a.p/bad.c.o <<'END'
#include <stdlib.h>
int count = 1;
int *next(void) { static int number; number++; return &number; }
char *home(void) { return getenv("HOME"); }
END
fails "writable variables are refused, and the environment in base/" tools/check-objects
has "a global" "$output" "bad.c.o: writable variable count"
has "a static in a function" "$output" "bad.c.o: writable variable number"
has "a look at the environment" "$output" "bad.c.o: calls getenv()"

rm build-plain/libbase.a.p/bad.c.o

mkdir -p build-plain/libsched.a.p
object libbase.a.p/src_base_fd.c.o <<'END'
int fd_open(void) { return 1; }
END
object libsched.a.p/good.c.o <<'END'
#include <string.h>
const char *name(int i);
int same(int a, int b) { return strcmp(name(a), name(b)) == 0; }
END
passes "policy may compute, and call what computes" tools/check-pure
object libsched.a.p/bad.c.o <<'END'
#include <unistd.h>
int fd_open(void);
int leak(void) { return (int)write(fd_open(), "x", 1); }
END
fails "policy may not do I/O" tools/check-pure
has "neither itself" "$output" "bad.c.o: calls write()"
has "nor through the files of base that do it" "$output" "bad.c.o: calls fd_open()"

mkdir -p src/apiserver/store src/apiserver/verb
echo '#include "apiserver/verb/x.h"' >src/apiserver/store/x.c
echo '#include "apiserver/store/x.h"' >src/apiserver/verb/x.c
fails "a folder that is a layer of its module may not look up" tools/check-layers
is "the others may look down" "$output" 'src/apiserver/store/x.c:1: apiserver/store/ may not include "apiserver/verb/x.h"'
rm -r src/apiserver

# A project of shell tests, to see what the runner counts.
mkdir project
cat >project/meson.build <<'END'
project('project', meson_version: '>=1.0')
foreach name, script : {
	'good': 'echo ok 1; echo ok 2; echo 1..2',
	'bad': 'echo ok 1; echo not ok 2 - two; echo 1..2; exit 1',
	'crash': 'echo ok 1; kill -9 $$',
	'silent': 'true',
	'short': 'echo 1..3; echo ok 1; echo ok 2',
	'leak': 'echo ok 1; echo 1..1; exit 23',
	'skip': 'echo 1..0 # SKIP no reason',
	'part': 'echo ok 1 - one; echo "ok 2 - two # SKIP no disk"; echo 1..2',
	'slow': 'exec sleep 1000',
	'long': 'echo ok 1; echo "# well"; echo not ok 2 - two; seq 1000 | sed "s/^/# no /"; echo 1..2; seq 1000 >&2; exit 1',
}
	test('few' / name, find_program('sh'), args: ['-c', script], protocol: 'tap', suite: 'few',
		timeout: name == 'slow' ? 1 : 0)
endforeach
END
passes "the project is set up" meson setup project/build project
passes "two checks passed" tools/run-tests project/build -- good
is "the last line counts them" "$(echo "$output" | tail -n 1)" "2 passed, 0 failed"
passes "a check that is left out is no failure" tools/run-tests project/build -- part
has "and is reported, with the reason" "$output" "left out of few/part: two: no disk"
is "nor has it passed" "$(echo "$output" | tail -n 1)" "1 passed, 0 failed"
for name in bad crash silent short leak skip slow long; do
	fails "$name is a failure" tools/run-tests project/build -- "$name"
done
has "which is named" "$output" "not ok 2 - two"
has "with what it says" "$output" "# no 1
"
has "but not with all of it: how much is left out is printed" "$output" "... 921 lines left out ..."
has "also of its errors" "$output" "... 940 lines left out ..."
case $output in *"# well"*) bad=1 ;; *) bad=0 ;; esac
result "$bad" "what was good is not shown" "$output"
fails "so are all of them together" tools/run-tests project/build
has "one has taken too long" "$output" "* ran out of time"
is "each counted once" "$(echo "$output" | tail -n 1)" "9 passed, 8 failed"
fails "a name that nothing has is a failure" tools/run-tests project/build -- nothing
is "of the count too" "$(echo "$output" | tail -n 1)" "0 passed, 1 failed"

fails "the set-up wants to know for what" tools/setup
is "and says so, in a sentence" "$output" \
	"setup: what is needed? tools/setup NEED..., each one of build demo docs images test lint fuzz cover slurm e2e"
fails "a need that it does not know" tools/setup dance
has "is named" "$output" "no such need: dance"

# What a system test shows of a long text.
try() { sh -c '. ./tap.sh; has "a word" "$1" "$2"; finish' try "$1" "$2"; }
long=$(seq 1 100; echo "the quick brown fox"; seq 101 200)
fails "a word that is not there fails" try "$long" "quick dog"
has "what is nearest to it is shown" "$output" "#   the quick brown fox"
has "with a little around it" "$output" "#   91
#   92"
has "and how much is not" "$output" "#   ... 90 lines left out ..."
fails "where nothing is near" try "$long" "dog"
has "it is the beginning" "$output" "#   1
#   2"
has "and the end" "$output" "#   200"
fails "a long line" try "$(seq 1 1000 | tr '\n' ' ')" "dog"
has "is cut as well" "$output" " 127  (3493 characters)"
passes "a word that is there" try "$long" "brown"

# What an addition costs, as HACKING.md has it.
printf '| %s | 99 |\n' action >HACKING.md
fails "a wrong count of files is found" tools/count-additions --check
has "and named" "$output" "HACKING.md: action: says 99 files, counted"

# A machine where nothing is installed and no user is root.
mkdir stub
for name in sh sed awk grep dirname mkdir rm cat tr; do ln -s "$(command -v "$name")" stub/; done
printf '#!/bin/sh\nexit 1\n' >stub/dpkg-query
printf '#!/bin/sh\necho 1000\n' >stub/id
chmod +x stub/dpkg-query stub/id
fails "without root and sudo nothing is installed" env PATH="$tmp/stub" tools/setup build
has "it says why" "$output" "needs root or sudo, and there is neither"
has "and what is missing" "$output" "Missing: gcc"

# One where another program uses apt just now, for two tries of each kind.
printf '#!/bin/sh\necho 0\n' >stub/id
printf '#!/bin/sh\n' >stub/sleep
cat >stub/apt-get <<'END'
#!/bin/sh
for word; do case $word in update | install) verb=$word ;; esac; done
echo >>"tries.$verb"
[ "$(grep -c '' "tries.$verb")" -gt 2 ] || {
	echo "E: Could not get lock /var/lib/$verb. It is held by process 7" >&2
	exit 100
}
END
printf '#!/bin/sh\necho "  Candidate: 1"\n' >stub/apt-cache
chmod +x stub/apt-get stub/apt-cache stub/sleep
passes "where apt is in use it is waited for" env PATH="$tmp/stub" tools/setup fuzz
has "and said so" "$output" "another program is using apt: waiting for it"
is "until the packages are there" "$(cat tries.update tries.install | grep -c '')" 6

finish
