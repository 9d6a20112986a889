# SPDX-License-Identifier: Apache-2.0
# Messages as JSON.
cp "$ROOT/tests/cfront/cases/wrong.c" .
chaac grad --diagnostics=json wrong.c -- -I"$ROOT/include" 2>out.json
python3 -c "import json; print(len(json.load(open(\"out.json\"))))"
head -n 3 out.json
