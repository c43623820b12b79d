#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make-image.t - tools/make-image: an image has what its program needs and no more, its bill is true, the same files give the
# same bytes, and podman runs it.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
# shellcheck source=test/system/home.sh
. test/system/home.sh
# shellcheck source=test/system/images.sh
. test/system/images.sh
program=vc-controller-manager

passes "an image is made" tools/make-image "$BIN/$program" "$tmp/one"
has "with its version and digest" "$output" "$program:$("$BIN/$program" --version | awk '{ print $NF }') sha256:"
passes "and again" tools/make-image "$BIN/$program" "$tmp/two"
passes "it is the same, byte by byte" cmp "$tmp/one/$program.tar" "$tmp/two/$program.tar"
passes "and so is the bill" cmp "$tmp/one/$program.spdx.json" "$tmp/two/$program.spdx.json"
passes "at another time" env SOURCE_DATE_EPOCH=86400 tools/make-image "$BIN/$program" "$tmp/later"
fails "it is another one" cmp "$tmp/one/$program.tar" "$tmp/later/$program.tar"
fails "what is no program" tools/make-image "$tmp" "$tmp/none"
has "is refused" "$output" "is no program"

cat >"$tmp/check.py" <<'END'
import hashlib, io, json, sys, tarfile
folder, program = sys.argv[1:]
archive = tarfile.open(f'{folder}/{program}.tar')
blob = lambda row: archive.extractfile('blobs/' + row['digest'].replace(':', '/')).read()
for name in archive.getnames():
    if name.startswith('blobs/sha256/'):
        assert hashlib.sha256(archive.extractfile(name).read()).hexdigest() == name.split('/')[-1], name
manifest = json.loads(blob(json.load(archive.extractfile('index.json'))['manifests'][0]))
config = json.loads(blob(manifest['config']))
assert config['config']['Entrypoint'] == ['/' + program] and config['config']['User'] == '1000:1000', config
assert config['created'] == '1970-01-02T00:00:00Z', config['created']
layer = tarfile.open(fileobj=io.BytesIO(blob(manifest['layers'][0])))
members = layer.getmembers()
assert [m.name for m in members] == sorted(m.name for m in members), 'not sorted'
assert all(m.uid == m.gid == 0 and m.mtime == 86400 for m in members), 'owners or times'
names = {m.name for m in members}
for needed in (program, 'etc/passwd', 'etc/ssl/certs/ca-certificates.crt', 'usr/share/zoneinfo/Europe/Berlin', 'tmp'):
    assert needed in names, needed
assert not [n for n in names if n.startswith(('bin', 'usr/bin', 'sbin'))], 'more programs than one'
assert not [m.name for m in members if m.mode & 0o6000], 'set-user-id'
bill = json.load(open(f'{folder}/{program}.spdx.json'))
assert bill['spdxVersion'] == 'SPDX-2.3' and bill['creationInfo']['created'] == '1970-01-02T00:00:00Z'
sums = {f['fileName'].removeprefix('./'): f['checksums'][1]['checksumValue'] for f in bill['files']}
for m in members:
    if m.isfile() and not m.name.endswith('.spdx.json'):
        assert sums.pop(m.name) == hashlib.sha256(layer.extractfile(m).read()).hexdigest(), m.name
assert not sums, sums
ids = {row['SPDXID'] for row in [*bill['packages'], *bill['files'], bill]}
assert len(ids) == len(bill['packages']) + len(bill['files']) + 1, 'two of the same name'
for row in bill['relationships']:
    assert row['spdxElementId'] in ids and row['relatedSpdxElement'] in ids, row
known = {row['licenseId'] for row in bill['hasExtractedLicensingInfos']}
for row in bill['packages'][1:]:
    assert row['versionInfo'] and row['externalRefs'][0]['referenceLocator'].startswith('pkg:deb/debian/'), row
    assert row['licenseDeclared'] == 'NOASSERTION' or set(row['licenseDeclared'].split(' AND ')) <= known, row
files = {row['fileName'].removeprefix('./'): row['SPDXID'] for row in bill['files']}
owned = {row['relatedSpdxElement'] for row in bill['relationships'] if row['relationshipType'] == 'CONTAINS'
         and row['spdxElementId'].startswith('SPDXRef-Package-deb-')}
for m in members:
    if '.so' in m.name:
        assert files[m.name] in owned, m.name
rest = sum(m.size for m in members if m.name != program and 'san.so' not in m.name)
assert rest < 16_000_000, f'{rest} bytes in addition to the program'
END
passes "the archive, the layer and the bill agree" python3 "$tmp/check.py" "$tmp/later" "$program"

passes "the files alone" tools/make-image --rootfs "$BIN/$program" "$tmp/files"
passes "the program runs with them" env ASAN_OPTIONS=detect_leaks=0 "$tmp/files/$program/$program" --version

# ---- podman ----
skip() {
	result 0 "podman # SKIP $*"
	finish
}
own_podman || skip "it is not installed"
podman load -i "$tmp/one/$program.tar" >"$tmp/loaded" 2>&1 || skip "it cannot load an image: $(tail -n 1 "$tmp/loaded")"
has "podman takes the archive" "$(cat "$tmp/loaded")" "localhost/$program:"
# limit WORDS: this process's own, which need no permission
limit() { awk -v what="$1" 'index($0, what) { n = $(NF - 1) == "unlimited" ? -1 : $(NF - 1); print n ":" n }' /proc/self/limits; }
image=$(sed -n 's/^Loaded image[^:]*: *//p' "$tmp/loaded")
podman run --rm --network none --cgroups disabled --ulimit "nofile=$(limit 'open files')" --ulimit "nproc=$(limit processes)" --read-only --cap-drop all --env ASAN_OPTIONS=detect_leaks=0 "$image" --version >"$tmp/ran" 2>&1 ||
	skip "it cannot run a container: $(tail -n 1 "$tmp/ran")"
is "and runs the program, read-only and without capabilities" "$(cat "$tmp/ran")" "$("$BIN/$program" --version)"
finish
