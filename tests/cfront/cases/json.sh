# SPDX-License-Identifier: Apache-2.0
# Messages as JSON, parsed: every one has what editors need, errors, warnings and remarks alike.
for name in wrong detached refused remarks_arrays; do
    cp "$ROOT/tests/cfront/cases/$name.c" .
    chaac grad --diagnostics=json --remarks -o out.c $name.c -- -I"$ROOT/include" 2>out.json
    python3 - $name <<'EOF'
import collections
import json
import sys

messages = json.load(open("out.json", encoding="utf-8"))
kinds = collections.Counter(m["severity"] for m in messages)
for m in messages:
    for x in [m] + m["notes"]:
        assert x["file"] == sys.argv[1] + ".c" and x["line"] > 0 and x["column"] > 0 and x["message"], x
    assert all(x["severity"] == "note" and x["code"] is None for x in m["notes"]), m
    assert (m["code"] is None) == (m["severity"] == "remark"), m
print(sys.argv[1], dict(sorted(kinds.items())), sorted({m["code"] or "-" for m in messages}))
EOF
done
cp "$ROOT/tests/cfront/cases/wrong.c" .
chaac grad --diagnostics=json wrong.c -- -I"$ROOT/include" 2>out.json
head -n 3 out.json
