#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools.t - the checks of ./dev lint find what is planted, and only that; the
# set-up says clearly why it cannot go on; the test runner misses no failure.
# Everything runs on a copy of tools/ in a small tree of its own.
. test/system/tap.sh

cp -r tools "$tmp/"
cd "$tmp" || exit 1
mkdir -p src/base/test src/json src/sched src/nowhere test .cache/lint bin
: >dev

forget() { rm -f src/*/*.[ch]; }

passes "an empty tree has nothing wrong" tools/check-layers

cat >src/sched/a.c <<'END'
#include "json/doc.h"
#include "base/vec.h"
END
passes "policy may include json and base" tools/check-layers
cat >src/sched/b.c <<'END'
#include "http/server.h"
END
fails "policy may not include http" tools/check-layers
is "and the line is named" "$output" 'src/sched/b.c:1: sched may not include "http/server.h"'
forget
cat >src/base/c.c <<'END'
#include <yyjson.h>
END
fails "an outside library stays behind its module" tools/check-layers
forget
cat >src/json/c.c <<'END'
#include <yyjson.h>
#include <openssl/ssl.h>
END
fails "which is one" tools/check-layers
is "and not the other" "$output" "src/json/c.c:2: json may not include <openssl/ssl.h>: that library is behind another module"
forget
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

# A machine where nothing is installed and nobody is root.
mkdir stub
for name in sh sed awk grep dirname mkdir rm cat tr; do ln -s "$(command -v "$name")" stub/; done
printf '#!/bin/sh\nexit 1\n' >stub/dpkg-query
printf '#!/bin/sh\necho 1000\n' >stub/id
chmod +x stub/dpkg-query stub/id
fails "without root and sudo nothing is installed" env PATH="$tmp/stub" tools/setup build
has "it says why" "$output" "needs root or sudo, and there is neither"
has "and what is missing" "$output" "Missing: gcc"

finish
